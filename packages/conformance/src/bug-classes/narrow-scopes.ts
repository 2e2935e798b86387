import type { MemoryScope } from '@nccl-ts/core';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

interface Scopes {
  readonly release?: MemoryScope;
  readonly acquire?: MemoryScope;
}

/** Rank 0 passes a word to rank 1 by a flag. */
const byFlag = ({ release: RELEASE = 'system', acquire: ACQUIRE = 'system' }: Scopes): BugKernel =>
  kernel(
    { name: `byFlag_${RELEASE}_${ACQUIRE}`, use: { lsa, RELEASE, ACQUIRE }, params },
    ({ lsa, RELEASE, ACQUIRE, waitUntil, u32 }, { comm, inbox, out }) => {
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        far.store(1, 42);
        far.store(0, 1, 'release', RELEASE);
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        waitUntil(() => near.load(0, 'acquire', ACQUIRE) === 1);
        const seen = near.load(1);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

/** The same with fences, and a flag with the strongest order and scope. */
const byFences = ({ release: RELEASE = 'system', acquire: ACQUIRE = 'system' }: Scopes): BugKernel =>
  kernel(
    { name: `byFences_${RELEASE}_${ACQUIRE}`, use: { lsa, RELEASE, ACQUIRE }, params },
    ({ lsa, RELEASE, ACQUIRE, fence, waitUntil, u32 }, { comm, inbox, out }) => {
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        far.store(1, 42);
        fence('release', RELEASE);
        far.store(0, 1, 'relaxed');
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        waitUntil(() => near.load(0, 'relaxed') === 1);
        fence('acquire', ACQUIRE);
        const seen = near.load(1);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

const data = { kind: 'race', lines: ['near.load(1)', 'far.store(1, 42)'], ranks: [1, 0], missing: ['scope'] } as const;
/** A flag that is not morally strong for both also races. */
const flag = {
  kind: 'race',
  lines: ['near.load(0,', 'far.store(0,'],
  anyOrder: true,
  missing: ['scope'],
} as const;

const result = (rank: number): readonly number[] => [rank === 0 ? 0 : 42];

/** CTA 0 passes a word to CTA 1 of the same rank. Device scope is wide enough for that. */
const withinDevice = (SCOPE: MemoryScope): BugKernel =>
  kernel(
    { name: `withinDevice_${SCOPE}`, use: { lsa, SCOPE }, params },
    ({ lsa, SCOPE, blockIdx, waitUntil, u32 }, { inbox, out }) => {
      const words = lsa.localPointer(inbox, u32, 0);
      if (blockIdx.x === 0) {
        words.store(1, 42);
        words.store(0, 1, 'release', SCOPE);
      } else {
        waitUntil(() => words.load(0, 'acquire', SCOPE) === 1);
        const seen = words.load(1);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

export const narrowScope: BugClass = {
  id: 'L5',
  title: 'the scope of a release or acquire does not reach the other side',
  programs: [
    bugProgram({
      name: 'L5/release-at-device',
      launches: [{ kernel: byFlag({ release: 'device' }) }],
      expects: { ...data, also: [flag] },
    }),
    bugProgram({
      name: 'L5/acquire-at-device',
      launches: [{ kernel: byFlag({ acquire: 'device' }) }],
      expects: { ...data, also: [flag] },
    }),
    bugProgram({ name: 'L5/flag-at-system', launches: [{ kernel: byFlag({}) }], result, expects: 'clean' }),
    bugProgram({
      name: 'L5/release-fence-at-device',
      launches: [{ kernel: byFences({ release: 'device' }) }],
      expects: data,
    }),
    bugProgram({
      name: 'L5/acquire-fence-at-device',
      launches: [{ kernel: byFences({ acquire: 'device' }) }],
      expects: data,
    }),
    bugProgram({ name: 'L5/fences-at-system', launches: [{ kernel: byFences({}) }], result, expects: 'clean' }),
    bugProgram({
      name: 'L5/ctas-at-block',
      ranks: 1,
      launches: [{ kernel: withinDevice('block'), grid: 2 }],
      expects: {
        kind: 'race',
        lines: ['words.load(1)', 'words.store(1, 42)'],
        ranks: [0, 0],
        missing: ['scope'],
        also: [{ kind: 'race', lines: ['words.load(0,', 'words.store(0,'], anyOrder: true, missing: ['scope'] }],
      },
    }),
    bugProgram({
      name: 'L5/ctas-at-device',
      ranks: 1,
      launches: [{ kernel: withinDevice('device'), grid: 2 }],
      result: () => [42],
      expects: 'clean',
    }),
  ],
};
