import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

/*
 * Two threads of rank 0 each store a word to rank 1, and thread 0 releases for both. The word of
 * thread 1 may be lost.
 */

const block = 2;
const result = (rank: number): readonly number[] => (rank === 0 ? [0, 0] : [40, 41]);

interface Steps {
  /** All threads fence before they synchronize. */
  readonly fenceFirst: boolean;
  readonly meet: boolean;
  /** Thread 0 fences before it stores the flag. */
  readonly fenceLast: boolean;
  /** The threads of rank 1 synchronize after one of them has waited. */
  readonly meetAfter: boolean;
}

const forAll = ({ fenceFirst, meet, fenceLast, meetAfter }: Steps): BugKernel =>
  kernel(
    { name: 'oneForAll', use: { lsa, fenceFirst, meet, fenceLast, meetAfter }, params },
    (
      { lsa, fenceFirst, meet, fenceLast, meetAfter, coopCta, fence, waitUntil, threadIdx, u32 },
      { comm, inbox, out },
    ) => {
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        far.store(1 + threadIdx.x, 40 + threadIdx.x);
        if (fenceFirst) fence('release', 'system');
        if (meet) coopCta().sync();
        if (threadIdx.x === 0) {
          if (fenceLast) fence('release', 'system');
          far.store(0, 1, 'relaxed');
        }
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        if (threadIdx.x === 0) waitUntil(() => near.load(0, 'acquire') === 1);
        if (meetAfter) coopCta().sync();
        const seen = near.load(1 + threadIdx.x);
        lsa.localPointer(out, u32, 0).store(threadIdx.x, seen);
      }
    },
  );

const sound: Steps = { fenceFirst: false, meet: true, fenceLast: true, meetAfter: true };
const race = { kind: 'race', lines: ['near.load(1 +', 'far.store(1 +'], ranks: [1, 0] } as const;

export const fenceByWrongThread: BugClass = {
  id: 'L6',
  title: 'one thread releases for other threads without a barrier',
  programs: [
    bugProgram({
      name: 'L6/not-met',
      launches: [{ kernel: forAll({ ...sound, meet: false }), block }],
      // Thread 0 may set the flag before thread 1 has stored.
      expects: { ...race, anyOrder: true, missing: ['coop-sync'] },
    }),
    bugProgram({
      name: 'L6/all-fence-not-met',
      launches: [{ kernel: forAll({ ...sound, fenceFirst: true, meet: false }), block }],
      expects: { ...race, anyOrder: true, missing: ['coop-sync'] },
    }),
    bugProgram({ name: 'L6/met', launches: [{ kernel: forAll(sound), block }], result, expects: 'clean' }),
  ],
};

export const fenceBeforeMeeting: BugClass = {
  id: 'L7',
  title: 'the only fence comes before the barrier of the threads',
  programs: [
    bugProgram({
      name: 'L7/fence-before',
      launches: [{ kernel: forAll({ ...sound, fenceFirst: true, fenceLast: false }), block }],
      // The flag's own fence covers the store of thread 0. Thread 0 synchronizes with thread 1 only
      // after the other fence.
      expects: { ...race, severity: 'model', missing: ['release'] },
    }),
    bugProgram({
      name: 'L7/fence-after',
      launches: [{ kernel: forAll({ ...sound, fenceFirst: true }), block }],
      result,
      expects: 'clean',
    }),
  ],
};

export const noMeetingAfterWait: BugClass = {
  id: 'L8',
  title: 'one thread waits, and another one reads without a barrier in between',
  programs: [
    bugProgram({
      name: 'L8/not-met',
      launches: [{ kernel: forAll({ ...sound, meetAfter: false }), block }],
      // The store may come after the load, or long before the flag. The load may come between the
      // two.
      expects: {
        ...race,
        anyOrder: { missing: ['synchronisation'] },
        missing: ['coop-sync'],
        sometimes: true,
        may: [{ ...race, missing: ['synchronisation'] }],
      },
    }),
    bugProgram({ name: 'L8/met', launches: [{ kernel: forAll(sound), block }], result, expects: 'clean' }),
  ],
};
