import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

/*
 * Every access is ordered, so there is no race. The result is wrong if another thread runs between
 * two of them.
 */

const countRelaxed = (ATOMIC: boolean): BugKernel =>
  kernel({ name: `countRelaxed_${ATOMIC}`, use: { lsa, ATOMIC }, params }, ({ lsa, ATOMIC, u32 }, { inbox }) => {
    const count = lsa.localPointer(inbox, u32, 0);
    if (ATOMIC) count.atomicAdd(0, 1, 'relaxed');
    else count.store(0, count.load(0, 'relaxed') + 1, 'relaxed');
  });

const isCounted: BugKernel = kernel(
  { name: 'isCounted', use: { lsa }, params },
  ({ lsa, assert, u32 }, { inbox, out }) => {
    const seen = lsa.localPointer(inbox, u32, 0).load(0);
    assert(seen === 2, 'both CTAs are counted');
    lsa.localPointer(out, u32, 0).store(0, seen);
  },
);

/** CTA 0 sleeps if there is no item to take. CTA 1 adds an item, and wakes the sleeper. */
const sleepAndWake = (SAYS_SO_FIRST: boolean): BugKernel =>
  kernel(
    { name: `sleepAndWake_${SAYS_SO_FIRST}`, use: { lsa, SAYS_SO_FIRST }, params },
    ({ lsa, SAYS_SO_FIRST, blockIdx, waitUntil, u32 }, { inbox, out }) => {
      const count = lsa.localPointer(inbox, u32, 0);
      const sleeper = lsa.localPointer(inbox, u32, 4);
      const woken = lsa.localPointer(inbox, u32, 8);
      if (blockIdx.x === 0) {
        if (SAYS_SO_FIRST) sleeper.store(0, 1, 'seq_cst');
        if (count.load(0, 'seq_cst') === 0) {
          if (!SAYS_SO_FIRST) sleeper.store(0, 1, 'seq_cst');
          waitUntil(() => woken.load(0, 'acquire') === 1);
        }
        lsa.localPointer(out, u32, 0).store(0, 1);
      } else {
        count.atomicAdd(0, 1, 'seq_cst');
        if (sleeper.load(0, 'seq_cst') === 1) woken.store(0, 1, 'release');
      }
    },
  );

export const relaxedLostUpdate: BugClass = {
  id: 'L26',
  title: 'an update or a wake-up is lost between two ordered accesses',
  programs: [
    bugProgram({
      name: 'L26/load-and-store',
      ranks: 1,
      launches: [{ kernel: countRelaxed(false), grid: 2 }, { kernel: isCounted }],
      expects: { kind: 'fault', lines: ['assert(seen === 2'], sometimes: true },
    }),
    bugProgram({
      name: 'L26/in-one-step',
      ranks: 1,
      launches: [{ kernel: countRelaxed(true), grid: 2 }, { kernel: isCounted }],
      result: () => [2],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L26/looks-before-it-says-so',
      ranks: 1,
      launches: [{ kernel: sleepAndWake(false), grid: 2 }],
      expects: { kind: 'deadlock', lines: ['waitUntil(() => woken.load('], sometimes: true },
    }),
    bugProgram({
      name: 'L26/says-so-before-it-looks',
      ranks: 1,
      launches: [{ kernel: sleepAndWake(true), grid: 2 }],
      result: () => [1],
      expects: 'clean',
    }),
  ],
};
