import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

const requirements = { lsaBarrierCount: 1 };

/** Two rounds of pushing to the next rank. With `twice`, both arrivals come before both waits. */
const arriveAndWait = (TWICE: boolean): BugKernel =>
  kernel(
    { name: `arriveAndWait_${TWICE}`, use: { lsa, TWICE }, params },
    ({ lsa, TWICE, coopCta, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      const next = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
      const mine = lsa.localPointer(inbox, u32, 0);
      next.store(0, u32(comm.rank) + 7);
      bar.arrive(coopCta(), 'release');
      if (TWICE) {
        next.store(1, u32(comm.rank) + 9);
        bar.arrive(coopCta(), 'release');
        bar.wait(coopCta(), 'acquire');
      } else {
        bar.wait(coopCta(), 'acquire');
        next.store(1, u32(comm.rank) + 9);
        bar.arrive(coopCta(), 'release');
      }
      bar.wait(coopCta(), 'acquire'); // the second
      lsa.localPointer(out, u32, 0).store(0, mine.load(0) + mine.load(1));
    },
  );

const waitOnly = (ARRIVE: boolean): BugKernel =>
  kernel({ name: `waitOnly_${ARRIVE}`, use: { lsa, ARRIVE }, params }, ({ lsa, ARRIVE, coopCta }, { comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    if (ARRIVE) bar.arrive(coopCta(), 'release');
    bar.wait(coopCta(), 'acquire');
  });

const arriveOnly = (WAIT: boolean): BugKernel =>
  kernel({ name: `arriveOnly_${WAIT}`, use: { lsa, WAIT }, params }, ({ lsa, WAIT, coopCta }, { comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.arrive(coopCta(), 'release');
    if (WAIT) bar.wait(coopCta(), 'acquire');
  });

const divergent = (ALL: boolean): BugKernel =>
  kernel(
    { name: `divergentBarrier_${ALL}`, use: { lsa, ALL }, params },
    ({ lsa, ALL, coopCta, threadIdx }, { comm }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      if (ALL || threadIdx.x < 32) {
        bar.sync(coopCta(), 'acq_rel');
      }
    },
  );

export const barrierImbalance: BugClass = {
  id: 'L9',
  title: 'arrivals and waits of a barrier do not match',
  programs: [
    bugProgram({
      name: 'L9/arrive-twice',
      requirements,
      launches: [{ kernel: arriveAndWait(true) }],
      // Both arrivals post the same epoch, so the epoch that the second wait needs is never posted.
      expects: { kind: 'deadlock', lines: ["bar.wait(coopCta(), 'acquire'); // the second"], ranks: [0, 1] },
    }),
    bugProgram({
      name: 'L9/arrive-and-wait-in-turn',
      requirements,
      launches: [{ kernel: arriveAndWait(false) }],
      result: (rank) => [2 * ((rank + 1) % 2) + 16],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L9/wait-without-arrive',
      requirements,
      launches: [{ kernel: waitOnly(false) }],
      expects: { kind: 'deadlock', lines: ['bar.wait('], ranks: [0, 1] },
    }),
    bugProgram({
      name: 'L9/arrive-before-wait',
      requirements,
      launches: [{ kernel: waitOnly(true) }],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L9/arrive-without-wait',
      requirements,
      launches: [{ kernel: arriveOnly(false) }],
      // The saved epoch does not count it, so the next session posts the same epoch again.
      expects: { kind: 'leftover', lines: ['bar.arrive('] },
    }),
    bugProgram({
      name: 'L9/wait-after-arrive',
      requirements,
      launches: [{ kernel: arriveOnly(true) }],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L9/divergent',
      requirements,
      launches: [{ kernel: divergent(false), block: 64 }],
      // The warps that do not take the branch are at the end of the session, which has no separate
      // line.
      expects: { kind: 'deadlock', lines: ['bar.sync(', ''], ranks: [0, 1] },
    }),
    bugProgram({
      name: 'L9/convergent',
      requirements,
      launches: [{ kernel: divergent(true), block: 64 }],
      expects: 'clean',
    }),
  ],
};
