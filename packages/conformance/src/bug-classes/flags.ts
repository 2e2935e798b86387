import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

/** The access by which rank 1 polls the flag. */
type Poll = 'plain' | 'relaxed' | 'acquire';

/** Rank 0 passes a word to rank 1 by a flag. */
const poll = (POLL: Poll, RELEASE: 'plain' | 'relaxed' | 'release'): BugKernel =>
  kernel(
    { name: `poll_${POLL}_${RELEASE}`, use: { lsa, POLL, RELEASE }, params },
    ({ lsa, POLL, RELEASE, waitUntil, u32 }, { comm, inbox, out }) => {
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        far.store(1, 42);
        if (RELEASE === 'plain') far.store(0, 1);
        else far.store(0, 1, RELEASE);
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        if (POLL === 'plain') waitUntil(() => near.load(0) === 1);
        else waitUntil(() => near.load(0, POLL) === 1);
        const seen = near.load(1);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

const data = { kind: 'race', lines: ['near.load(1)', 'far.store(1, 42)'], ranks: [1, 0] } as const;
const flag = { kind: 'race', lines: ['near.load(0', '.store(0, 1'], anyOrder: true, missing: ['strong'] } as const;
const result = (rank: number): readonly number[] => [rank === 0 ? 0 : 42];

export const weakPoll: BugClass = {
  id: 'L17',
  title: 'a flag is polled or set with too weak an order',
  programs: [
    bugProgram({
      name: 'L17/plain-poll',
      launches: [{ kernel: poll('plain', 'release') }],
      expects: { ...flag, also: [data] },
    }),
    bugProgram({
      name: 'L17/plain-flag',
      launches: [{ kernel: poll('acquire', 'plain') }],
      // GPUs store an aligned word at once, so only the data is an error.
      expects: { ...data, also: [{ ...flag, severity: 'model' }] },
    }),
    bugProgram({
      name: 'L17/relaxed-poll',
      launches: [{ kernel: poll('relaxed', 'release') }],
      expects: { ...data, missing: ['acquire'] },
    }),
    bugProgram({
      name: 'L17/relaxed-flag',
      launches: [{ kernel: poll('acquire', 'relaxed') }],
      expects: { ...data, missing: ['release'] },
    }),
    bugProgram({
      name: 'L17/acquiring-poll',
      launches: [{ kernel: poll('acquire', 'release') }],
      result,
      expects: 'clean',
    }),
  ],
};

const flagOfBytes = (BYTES: boolean): BugKernel =>
  kernel(
    { name: `flagOfBytes_${BYTES}`, use: { lsa, BYTES }, params },
    ({ lsa, BYTES, waitUntil, u16, u32 }, { comm, inbox, out }) => {
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        far.store(1, 42);
        if (BYTES) far.cast(u16).store(0, 1, 'release');
        else far.store(0, 1, 'release');
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        waitUntil(() => near.load(0, 'acquire') === 1);
        const seen = near.load(1);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

export const mixedSizes: BugClass = {
  id: 'L18',
  title: 'a flag is set in one size and polled in another',
  programs: [
    bugProgram({
      name: 'L18/half-a-word',
      launches: [{ kernel: flagOfBytes(true) }],
      expects: { ...flag, also: [data] },
    }),
    bugProgram({ name: 'L18/whole-word', launches: [{ kernel: flagOfBytes(false) }], result, expects: 'clean' }),
  ],
};
