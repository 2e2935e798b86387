import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import type { BugClass, ExcludedBugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

const requirements = { lsaBarrierCount: 1, lsaMultimem: true };

const storeToAll = (FENCE: boolean): BugKernel =>
  kernel(
    { name: `storeToAll_${FENCE}`, use: { lsa, multimem, FENCE }, params },
    ({ lsa, multimem, FENCE, coopCta, fenceProxy, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      const all = multimem.lsaPointer(inbox, u32, 0, comm);
      multimem.store(all.offset(comm.lsaRank), u32(comm.rank) + 7);
      bar.sync(coopCta(), 'acq_rel');
      if (FENCE) fenceProxy('alias');
      const seen = lsa.localPointer(inbox, u32, 0).load(1 - comm.lsaRank);
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

const sumOfStored = (FENCE: boolean): BugKernel =>
  kernel(
    { name: `sumOfStored_${FENCE}`, use: { lsa, multimem, FENCE }, params },
    ({ lsa, multimem, FENCE, coopCta, fenceProxy, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      lsa.localPointer(inbox, u32, 0).store(0, u32(comm.rank) + 7);
      if (FENCE) fenceProxy('alias');
      bar.sync(coopCta(), 'acq_rel');
      const sum = multimem.loadReduce(multimem.lsaPointer(inbox, u32, 0, comm));
      lsa.localPointer(out, u32, 0).store(0, sum);
    },
  );

export const missingProxyFence: BugClass = {
  id: 'M1',
  title:
    'bytes are written through a multicast address and read through their own, or the reverse, with no proxy fence in between',
  programs: [
    bugProgram({
      name: 'M1/no-proxy-fence',
      requirements,
      launches: [{ kernel: storeToAll(false) }],
      expects: {
        kind: 'proxy',
        severity: 'model',
        lines: ['const seen =', 'multimem.store('],
        missing: ['proxy-fence'],
      },
    }),
    bugProgram({
      name: 'M1/proxy-fence',
      requirements,
      launches: [{ kernel: storeToAll(true) }],
      result: (rank) => [((rank + 1) % 2) + 7],
      expects: 'clean',
    }),
    bugProgram({
      name: 'M1/no-proxy-fence-before-sum',
      requirements,
      launches: [{ kernel: sumOfStored(false) }],
      expects: {
        kind: 'proxy',
        severity: 'model',
        lines: ['const sum =', '.store(0, u32(comm.rank) + 7)'],
        missing: ['proxy-fence'],
      },
    }),
    bugProgram({
      name: 'M1/proxy-fence-before-sum',
      requirements,
      launches: [{ kernel: sumOfStored(true) }],
      result: () => [15],
      expects: 'clean',
    }),
  ],
};

const storeOnce = kernel({ name: 'storeOnce', use: { multimem }, params }, ({ multimem, u32 }, { comm, inbox }) => {
  const all = multimem.lsaPointer(inbox, u32, 0, comm);
  multimem.store(all.offset(comm.lsaRank), 7);
});

export const nullMulticast: BugClass = {
  id: 'M2',
  title: 'a kernel uses the null multicast address of a communicator without multicast',
  programs: [
    bugProgram({
      name: 'M2/not-asked-for',
      launches: [{ kernel: storeOnce }],
      expects: { kind: 'misuse', lines: ['multimem.store('] },
    }),
    bugProgram({
      name: 'M2/asked-for',
      requirements: { lsaMultimem: true },
      launches: [{ kernel: storeOnce }],
      expects: 'clean',
    }),
  ],
};

const sumOfAll = (BARRIER: boolean): BugKernel =>
  kernel(
    { name: `sumOfAll_${BARRIER}`, use: { lsa, multimem, BARRIER }, params },
    ({ lsa, multimem, BARRIER, coopCta, fenceProxy, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      lsa.localPointer(inbox, u32, 0).store(0, u32(comm.rank) + 7);
      if (BARRIER) bar.sync(coopCta(), 'acq_rel');
      fenceProxy('alias');
      const sum = multimem.loadReduce(multimem.lsaPointer(inbox, u32, 0, comm));
      lsa.localPointer(out, u32, 0).store(0, sum);
    },
  );

export const partialSums: BugClass = {
  id: 'M3',
  title: 'copies are summed while a rank still writes one of them',
  programs: [
    bugProgram({
      name: 'M3/no-barrier',
      requirements,
      launches: [{ kernel: sumOfAll(false) }],
      expects: {
        kind: 'race',
        lines: ['const sum =', '.store(0, u32(comm.rank) + 7)'],
        anyOrder: true,
        missing: ['synchronisation'],
      },
    }),
    bugProgram({
      name: 'M3/barrier',
      requirements,
      launches: [{ kernel: sumOfAll(true) }],
      result: () => [15],
      expects: 'clean',
    }),
  ],
};

const addToAll = (BARRIER: boolean): BugKernel =>
  kernel(
    { name: `addToAll_${BARRIER}`, use: { lsa, multimem, BARRIER }, params },
    ({ lsa, multimem, BARRIER, coopCta, fenceProxy, u32 }, { comm, inbox }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      lsa.localPointer(inbox, u32, 0).store(0, 3);
      fenceProxy('alias');
      if (BARRIER) bar.sync(coopCta(), 'acq_rel');
      multimem.reduce(multimem.lsaPointer(inbox, u32, 0, comm), 1);
    },
  );

export const reductionAndStore: BugClass = {
  id: 'M4',
  title: 'a multicast reduction and a plain store race on one word',
  programs: [
    bugProgram({
      name: 'M4/no-barrier',
      requirements,
      launches: [{ kernel: addToAll(false) }],
      expects: {
        kind: 'race',
        lines: ['.store(0, 3)', 'multimem.reduce('],
        anyOrder: true,
        missing: ['synchronisation'],
        sometimes: true,
        // A rank may add to a copy to which the other rank has already added.
        may: [{ kind: 'race', lines: ['.store(0, 3)', 'multimem.reduce('], anyOrder: true, missing: ['release'] }],
      },
    }),
    bugProgram({ name: 'M4/barrier', requirements, launches: [{ kernel: addToAll(true) }], expects: 'clean' }),
  ],
};

export const mappingNotReady: ExcludedBugClass = {
  id: 'M5',
  title: 'a multicast address is used before all ranks are bound to it',
  excluded:
    "allocWindow and createDevComm are calls of all ranks and resolve when all have come; a handle's mcBasePtr " +
    'comes from createDevComm alone, and a null one is M2.',
};

export const bulkCopies: ExcludedBugClass = {
  id: 'M6',
  title: 'a flag announces a bulk copy without a wait for it',
  excluded: 'The kernel language has no bulk copies.',
};
