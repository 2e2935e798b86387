import { barrier } from '@nccl-ts/barrier';
import type { MemoryOrder } from '@nccl-ts/core';
import type { DevComm } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { deviceFn, kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

/**
 * Synchronizes with the other ranks if there are at least this many. Otherwise this helper silently
 * does nothing.
 */
const meetIfMany = deviceFn(
  { name: 'meetIfMany', use: { lsa } },
  ({ lsa, coopCta, u32 }, comm: DevComm, least: number) => {
    if (u32(comm.lsaSize) < least) return;
    lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');
  },
);

const throughHelper = (LEAST: number): BugKernel =>
  kernel(
    { name: `throughHelper_${LEAST}`, use: { lsa, meetIfMany, LEAST }, params },
    ({ lsa, meetIfMany, LEAST, u32 }, { comm, inbox, out }) => {
      const next = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
      next.store(0, u32(comm.rank) + 7);
      meetIfMany(comm, u32(LEAST));
      const seen = lsa.localPointer(inbox, u32, 0).load(0);
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

/** In a single domain the rail waits for no rank, so the domain's part must acquire. */
const hybrid = (ORDER: MemoryOrder): BugKernel =>
  kernel(
    { name: `hybrid_${ORDER}`, use: { barrier, gin, lsa, ORDER }, params },
    ({ barrier, gin, lsa, ORDER, coopCta, u32 }, { comm, inbox, out }) => {
      const bar = barrier.session(coopCta(), gin.context(comm, 0), 'world', 0);
      const next = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
      next.store(0, u32(comm.rank) + 7);
      bar.sync(coopCta(), ORDER, 'none');
      const seen = lsa.localPointer(inbox, u32, 0).load(0);
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

const lines = ['const seen =', 'next.store('];
const result = (rank: number): readonly number[] => [((rank + 1) % 2) + 7];

export const noOpBarrier: BugClass = {
  id: 'L23',
  title: 'a synchronization silently does nothing, or only half of its work',
  programs: [
    bugProgram({
      name: 'L23/helper-returns-early',
      requirements: { lsaBarrierCount: 1 },
      launches: [{ kernel: throughHelper(3) }],
      expects: { kind: 'race', lines, anyOrder: true, missing: ['synchronisation'] },
    }),
    bugProgram({
      name: 'L23/helper-meets',
      requirements: { lsaBarrierCount: 1 },
      launches: [{ kernel: throughHelper(2) }],
      result,
      expects: 'clean',
    }),
    bugProgram({
      name: 'L23/hybrid-barrier-in-one-domain',
      requirements: { barrierCount: 1, ginConnectionType: 'full' },
      launches: [{ kernel: hybrid('acq_rel') }],
      result,
      expects: 'clean',
    }),
    bugProgram({
      name: 'L23/hybrid-barrier-whole-in-both-stages',
      requirements: { barrierCount: 1, ginConnectionType: 'full' },
      launches: [{ kernel: hybrid('seq_cst') }],
      result,
      expects: 'clean',
    }),
    bugProgram({
      name: 'L23/hybrid-barrier-that-publishes-nothing',
      requirements: { barrierCount: 1, ginConnectionType: 'full' },
      launches: [{ kernel: hybrid('acquire') }],
      expects: { kind: 'race', lines, anyOrder: true, missing: ['release'] },
    }),
  ],
};
