import type { MemoryOrder } from '@nccl-ts/core';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel } from './bug-program.ts';

/** A barrier's order, or no barrier. */
type BarrierOrder = MemoryOrder | 'none';

const requirements = { lsaBarrierCount: 1 };
const block = 2;

const fill = kernel({ name: 'fill', use: { lsa }, params }, ({ lsa, threadIdx, u32 }, { comm, data }) => {
  const own = lsa.localPointer(data, u32, 0);
  own.store(threadIdx.x, u32(comm.rank) * 10 + threadIdx.x);
});

const readNext = (ENTRY: BarrierOrder, EXIT: BarrierOrder): BugKernel =>
  kernel(
    { name: `readNext_${ENTRY}_${EXIT}`, use: { lsa, ENTRY, EXIT }, params },
    ({ lsa, ENTRY, EXIT, coopCta, threadIdx, u32 }, { comm, data, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      if (ENTRY !== 'none') bar.sync(coopCta(), ENTRY);
      const next = lsa.pointer(data, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
      const seen = next.load(threadIdx.x);
      lsa.localPointer(out, u32, 0).store(threadIdx.x, seen);
      if (EXIT !== 'none') bar.sync(coopCta(), EXIT);
    },
  );

const pushNext = (EXIT: BarrierOrder): BugKernel =>
  kernel({ name: `pushNext_${EXIT}`, use: { lsa, EXIT }, params }, ({ lsa, EXIT, coopCta, u32 }, { comm, inbox }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const peer = lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    peer.store(0, 7);
    if (EXIT !== 'none') bar.sync(coopCta(), EXIT);
  });

const readInbox: Parameters<typeof bugProgram>[0]['then'] = async (_comm, { inbox }) => {
  await inbox.read();
};

const filled = (rank: number): readonly number[] => [0, 1].map((i) => ((rank + 1) % 2) * 10 + i);
const written = (rank: number): readonly number[] => [0, 1].map((i) => dataWord((rank + 1) % 2, i));

const entry = (name: string, ENTRY: BarrierOrder): Parameters<typeof bugProgram>[0] => ({
  name,
  requirements,
  launches: [
    { kernel: fill, block },
    { kernel: readNext(ENTRY, 'acq_rel'), block },
  ],
  result: filled,
  expects: 'clean',
});

export const missingEntryBarrier: BugClass = {
  id: 'L1',
  title: "a rank reads a peer's data before a barrier shows that the data was written",
  programs: [
    bugProgram({
      ...entry('L1/no-entry-barrier', 'none'),
      expects: {
        kind: 'race',
        lines: ['next.load(', 'own.store('],
        anyOrder: true,
        missing: ['synchronisation'],
      },
    }),
    bugProgram(entry('L1/entry-barrier', 'acq_rel')),
    // The end of the first kernel has released, so the barrier only has to acquire, as in NVIDIA's
    // examples.
    bugProgram(entry('L1/acquiring-entry-barrier', 'acquire')),
    bugProgram({
      name: 'L1/host-reads',
      requirements,
      launches: [{ kernel: pushNext('none') }],
      then: readInbox,
      // The host has waited for its own rank's kernel, but the peer's kernel may still run.
      expects: { kind: 'race', lines: ['host', 'peer.store('], anyOrder: true, missing: ['synchronisation'] },
    }),
    bugProgram({
      name: 'L1/host-reads-after-barrier',
      requirements,
      launches: [{ kernel: pushNext('acq_rel') }],
      then: readInbox,
      expects: 'clean',
    }),
  ],
};

const exit = (name: string, EXIT: BarrierOrder): Parameters<typeof bugProgram>[0] => ({
  name,
  requirements,
  launches: [
    { kernel: readNext('acquire', EXIT), block },
    { kernel: fill, block },
  ],
  result: written,
  expects: 'clean',
});

export const missingExitBarrier: BugClass = {
  id: 'L2',
  title: 'a rank overwrites data that a peer still reads',
  programs: [
    bugProgram({
      ...exit('L2/no-exit-barrier', 'none'),
      expects: {
        kind: 'race',
        lines: ['own.store(', 'next.load('],
        anyOrder: true,
        missing: ['synchronisation'],
      },
    }),
    bugProgram(exit('L2/exit-barrier', 'acq_rel')),
    // The end of the kernel acquires for it.
    bugProgram(exit('L2/releasing-exit-barrier', 'release')),
  ],
};

const storeToFirst = (OWN_PLACE: boolean): BugKernel =>
  kernel(
    { name: `storeToFirst_${OWN_PLACE}`, use: { lsa, OWN_PLACE }, params },
    ({ lsa, OWN_PLACE, coopCta, u32 }, { comm, inbox, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      const first = lsa.pointer(inbox, u32, 0, 0);
      first.store(OWN_PLACE ? comm.lsaRank : 0, u32(comm.lsaRank) + 7);
      bar.sync(coopCta(), 'acq_rel');
      const mine = lsa.localPointer(out, u32, 0);
      mine.store(0, first.load(OWN_PLACE ? comm.lsaRank : 0));
      bar.sync(coopCta(), 'acq_rel');
    },
  );

export const doubleWrite: BugClass = {
  id: 'L3',
  title: 'two ranks store to the same location of a peer',
  programs: [
    bugProgram({
      name: 'L3/same-place',
      requirements,
      launches: [{ kernel: storeToFirst(false) }],
      expects: { kind: 'race', lines: ['first.store(', 'first.store('], missing: ['synchronisation'] },
    }),
    bugProgram({
      name: 'L3/own-place',
      requirements,
      launches: [{ kernel: storeToFirst(true) }],
      result: (rank) => [rank + 7],
      expects: 'clean',
    }),
  ],
};
