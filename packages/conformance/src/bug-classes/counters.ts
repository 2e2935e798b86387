import type { MemoryScope } from '@nccl-ts/core';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

/** Both ranks increment a word of rank 0. */
const countUp = (SCOPE: MemoryScope | 'plain'): BugKernel =>
  kernel(
    { name: `countUp_${SCOPE}`, use: { lsa, SCOPE }, params },
    ({ lsa, SCOPE, coopCta, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      const counter = lsa.pointer(inbox, u32, 0, 0);
      if (SCOPE === 'plain') {
        const before = counter.load(0);
        counter.store(0, before + 1);
      } else counter.atomicAdd(0, 1, 'relaxed', SCOPE);
      bar.sync(coopCta(), 'acq_rel');
      const after = counter.load(0);
      lsa.localPointer(out, u32, 0).store(0, after);
    },
  );

const requirements = { lsaBarrierCount: 1 };

export const lostUpdate: BugClass = {
  id: 'L19',
  title: 'a counter that several ranks share is not atomic for all of them',
  programs: [
    bugProgram({
      name: 'L19/at-device',
      requirements,
      launches: [{ kernel: countUp('device') }],
      expects: { kind: 'race', lines: ['counter.atomicAdd(', 'counter.atomicAdd('], missing: ['scope'] },
    }),
    bugProgram({
      name: 'L19/plain',
      requirements,
      launches: [{ kernel: countUp('plain') }],
      expects: {
        kind: 'race',
        lines: ['counter.store(', 'counter.store('],
        also: [{ kind: 'race', lines: ['const before =', 'counter.store('], anyOrder: true }],
      },
    }),
    bugProgram({
      name: 'L19/at-system',
      requirements,
      launches: [{ kernel: countUp('system') }],
      result: () => [2],
      expects: 'clean',
    }),
  ],
};

const resetThenCount = (BARRIER: boolean): BugKernel =>
  kernel(
    { name: `resetThenCount_${BARRIER}`, use: { lsa, BARRIER }, params },
    ({ lsa, BARRIER, coopCta, waitUntil, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      const counter = lsa.pointer(inbox, u32, 0, 1);
      if (comm.lsaRank === 1) counter.store(0, 0);
      if (BARRIER) bar.sync(coopCta(), 'acq_rel');
      if (comm.lsaRank === 0) counter.atomicAdd(0, 1, 'release');
      else waitUntil(() => counter.load(0, 'acquire') === 1);
      lsa.localPointer(out, u32, 0).store(0, 1);
    },
  );

const count = kernel({ name: 'countAtNext', use: { lsa }, params }, ({ lsa, u32 }, { comm, inbox }) => {
  const counter = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
  counter.atomicAdd(0, 1, 'relaxed');
});

const meeting = kernel({ name: 'meet', use: { lsa }, params }, ({ lsa, coopCta }, { comm }) => {
  const bar = lsa.barrierSession(coopCta(), comm, 0);
  bar.sync(coopCta(), 'acq_rel');
});

export const counterReset: BugClass = {
  id: 'L20',
  title: 'a counter is reset while a peer is already counting',
  programs: [
    bugProgram({
      name: 'L20/by-kernel',
      requirements,
      launches: [{ kernel: resetThenCount(false) }],
      expects: {
        kind: 'race',
        lines: ['counter.store(0, 0)', 'counter.atomicAdd('],
        anyOrder: true,
        missing: ['synchronisation'],
        // The count is lost.
        may: [{ kind: 'deadlock', lines: ['waitUntil('] }],
      },
    }),
    bugProgram({
      name: 'L20/by-kernel-before-barrier',
      requirements,
      launches: [{ kernel: resetThenCount(true) }],
      result: () => [1],
      expects: 'clean',
    }),
    bugProgram({
      name: 'L20/by-host',
      launches: [{ kernel: count }],
      then: async (_comm, { inbox }) => inbox.write([0]),
      expects: {
        kind: 'race',
        lines: ['host', 'counter.atomicAdd('],
        anyOrder: true,
        missing: ['synchronisation'],
      },
    }),
    bugProgram({
      name: 'L20/by-host-after-barrier',
      requirements,
      launches: [{ kernel: count }, { kernel: meeting }],
      then: async (_comm, { inbox }) => inbox.write([0]),
      expects: 'clean',
    }),
  ],
};
