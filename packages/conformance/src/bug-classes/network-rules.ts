import type { Communicator } from '@nccl-ts/communicator';
import { teamWorld } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel, type BugProgramObjects } from './bug-program.ts';

const requirements = { ginConnectionType: 'full', ginSignalCount: 1 } as const;
const use = { gin, lsa, teamWorld };

/**
 * Rank 1 waits for a VA signal at byte 0 of its inbox. Before that it stores there, or next to it.
 */
const vaSignal = (WORD: number): BugKernel =>
  kernel(
    { name: `vaSignal_${WORD}`, use: { ...use, WORD }, params },
    ({ gin, lsa, teamWorld, WORD, coopThread, u64 }, { comm, inbox }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        net.signal(teamWorld(comm), 1, gin.strongVASignalInc(inbox, 0));
        net.flush(coopThread());
      } else {
        net.waitVASignal(coopThread(), inbox, 0, 1);
        lsa.localPointer(inbox, u64, 0).store(WORD, 0);
        net.waitVASignal(coopThread(), inbox, 0, 0);
      }
    },
  );

export const vaSignalMisuse: BugClass = {
  id: 'G14',
  title: 'a store changes the word of a VA signal, or its window has no strict ordering',
  programs: [
    bugProgram({
      name: 'G14/stored-to',
      lsaSize: 1,
      requirements,
      strictOrdering: true,
      launches: [{ kernel: vaSignal(0) }],
      expects: {
        kind: 'misuse',
        lines: ['.store(WORD, 0)'],
        ranks: [1],
        // The thread that reads the word next.
        may: [{ kind: 'misuse', lines: ['inbox, 0, 0)'], ranks: [1] }],
      },
    }),
    bugProgram({
      name: 'G14/stored-beside',
      lsaSize: 1,
      requirements,
      strictOrdering: true,
      launches: [{ kernel: vaSignal(1) }],
      expects: 'clean',
    }),
    bugProgram({
      name: 'G14/without-strict-ordering',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: vaSignal(1) }],
      expects: { kind: 'misuse', lines: ['net.signal('], ranks: [0], may: [waits()] },
    }),
  ],
};

/** Rank 1 waits for a signal that rank 0, whose launch has ended, did not send. */
function waits(): { readonly kind: 'deadlock'; readonly lines: readonly string[] } {
  return { kind: 'deadlock', lines: ['.wait'] };
}

const putToNext = (DISTANCE: number): BugKernel =>
  kernel(
    { name: `putTo_${DISTANCE}`, use: { ...use, DISTANCE }, params },
    ({ gin, lsa, teamWorld, DISTANCE, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const peer = (comm.rank + DISTANCE) % comm.nRanks;
      net.put(teamWorld(comm), peer, inbox, 0, data, 0, 4, gin.weakSignalInc(0));
      net.waitSignal(coopThread(), 0, 1);
      net.flush(coopThread());
      lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0));
    },
  );

const loadOf = (DISTANCE: number): BugKernel =>
  kernel(
    { name: `loadOf_${DISTANCE}`, use: { ...use, DISTANCE }, params },
    ({ lsa, DISTANCE, u32 }, { comm, data, out }) => {
      const peer = lsa.peerPointer(data, u32, 0, (comm.rank + DISTANCE) % comm.nRanks);
      const seen = peer.load(0);
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

export const unreachablePeer: BugClass = {
  id: 'G15',
  title: 'a kernel addresses a peer that the connection, or the load-store domain, does not reach',
  programs: [
    bugProgram({
      name: 'G15/off-the-rail',
      ranks: 4,
      lsaSize: 2,
      requirements: { ginConnectionType: 'rail', ginSignalCount: 1 },
      launches: [{ kernel: putToNext(1) }],
      expects: { kind: 'misuse', lines: ['net.put('], may: [waits()] },
    }),
    bugProgram({
      name: 'G15/on-the-rail',
      ranks: 4,
      lsaSize: 2,
      requirements: { ginConnectionType: 'rail', ginSignalCount: 1 },
      launches: [{ kernel: putToNext(2) }],
      result: (rank) => [dataWord((rank + 2) % 4, 0)],
      expects: 'clean',
    }),
    bugProgram({
      name: 'G15/off-the-stride',
      ranks: 4,
      requirements: { ginConnectionType: 'customStride', ginCustomStride: 2, ginSignalCount: 1 },
      launches: [{ kernel: putToNext(1) }],
      expects: { kind: 'misuse', lines: ['net.put('], may: [waits()] },
    }),
    bugProgram({
      name: 'G15/on-the-stride',
      ranks: 4,
      requirements: { ginConnectionType: 'customStride', ginCustomStride: 2, ginSignalCount: 1 },
      launches: [{ kernel: putToNext(2) }],
      result: (rank) => [dataWord((rank + 2) % 4, 0)],
      expects: 'clean',
    }),
    bugProgram({
      name: 'G15/not-listed',
      lsaSize: 1,
      // Rank 1 lists rank 0, which does not list rank 1.
      requirements: { ginConnectionType: 'customArray', ginCustomArray: [0], ginSignalCount: 1 },
      launches: [{ kernel: putToNext(1) }],
      expects: { kind: 'misuse', lines: ['net.put('], may: [waits()] },
    }),
    bugProgram({
      name: 'G15/listed',
      lsaSize: 1,
      requirements: { ginConnectionType: 'customArray', ginCustomArray: [0, 1], ginSignalCount: 1 },
      launches: [{ kernel: putToNext(1) }],
      result: (rank) => [dataWord((rank + 1) % 2, 0)],
      expects: 'clean',
    }),
    bugProgram({
      name: 'G15/pointer-to-another-domain',
      lsaSize: 1,
      launches: [{ kernel: loadOf(1) }],
      expects: { kind: 'out-of-bounds', lines: ['const seen = peer.load('] },
    }),
    bugProgram({
      name: 'G15/pointer-to-the-own-domain',
      lsaSize: 2,
      launches: [{ kernel: loadOf(1) }],
      result: (rank) => [dataWord((rank + 1) % 2, 0)],
      expects: 'clean',
    }),
  ],
};

const putAt = (OFFSET: number): BugKernel =>
  kernel(
    { name: `putAt_${OFFSET}`, use: { ...use, OFFSET }, params },
    ({ gin, teamWorld, OFFSET, coopThread, addr }, { comm, data, inbox }) => {
      const net = gin.context(comm, 0);
      net.put(teamWorld(comm), comm.rank, inbox, addr(OFFSET), data, 0, 16, gin.weakSignalInc(0));
      net.waitSignal(coopThread(), 0, 1);
      net.flush(coopThread());
    },
  );

const storeAt = (INDEX: number): BugKernel =>
  kernel({ name: `storeAt_${INDEX}`, use: { lsa, INDEX }, params }, ({ lsa, INDEX, u32 }, { comm, inbox }) => {
    if (comm.lsaRank === 0) lsa.pointer(inbox, u32, 0, 1).store(INDEX, 7);
  });

const signalAt = (OFFSET: number): BugKernel =>
  kernel(
    { name: `signalAt_${OFFSET}`, use: { ...use, OFFSET }, params },
    ({ gin, teamWorld, OFFSET, coopThread, addr }, { comm, inbox }) => {
      const net = gin.context(comm, 0);
      net.signal(teamWorld(comm), comm.rank, gin.weakVASignalInc(inbox, addr(OFFSET)));
      net.waitVASignal(coopThread(), inbox, addr(OFFSET), 1);
      net.flush(coopThread());
    },
  );

export const outsideWindow: BugClass = {
  id: 'G18',
  title: 'a kernel accesses bytes past the end of a window, possibly those of the next rank, or a misaligned word',
  programs: [
    bugProgram({
      name: 'G18/put-past-the-end',
      ranks: 1,
      requirements,
      launches: [{ kernel: putAt(20) }],
      expects: { kind: 'out-of-bounds', lines: ['net.put('] },
    }),
    bugProgram({
      name: 'G18/put-to-the-end',
      ranks: 1,
      requirements,
      launches: [{ kernel: putAt(16) }],
      expects: 'clean',
    }),
    bugProgram({
      name: 'G18/store-past-the-end',
      launches: [{ kernel: storeAt(8) }],
      expects: { kind: 'out-of-bounds', lines: ['.store(INDEX, 7)'], ranks: [0] },
    }),
    bugProgram({
      name: 'G18/store-before-the-beginning',
      launches: [{ kernel: storeAt(-1) }],
      expects: { kind: 'out-of-bounds', lines: ['.store(INDEX, 7)'], ranks: [0] },
    }),
    bugProgram({ name: 'G18/store-at-the-end', launches: [{ kernel: storeAt(7) }], expects: 'clean' }),
    bugProgram({
      name: 'G18/misaligned-signal',
      ranks: 1,
      requirements,
      strictOrdering: true,
      launches: [{ kernel: signalAt(4) }],
      expects: { kind: 'out-of-bounds', lines: ['net.signal('] },
    }),
    bugProgram({
      name: 'G18/aligned-signal',
      ranks: 1,
      requirements,
      strictOrdering: true,
      launches: [{ kernel: signalAt(8) }],
      expects: 'clean',
    }),
  ],
};

const putAndEnd = (FLUSH: boolean): BugKernel =>
  kernel(
    { name: `putAndEnd_${FLUSH}`, use: { ...use, FLUSH }, params },
    ({ gin, teamWorld, FLUSH, coopThread }, { comm, data, inbox }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, inbox, 0, data, 0, 16, gin.weakSignalInc(0));
        if (FLUSH) net.flush(coopThread());
      } else net.waitSignal(coopThread(), 0, 1);
    },
  );

const putUntold = kernel({ name: 'putUntold', use, params }, ({ gin, teamWorld }, { comm, data, inbox }) => {
  const net = gin.context(comm, 0);
  if (comm.rank === 0) net.put(teamWorld(comm), 1, inbox, 0, data, 0, 16);
});

const overwriteSource = async (comm: Communicator, { data }: BugProgramObjects): Promise<void> => {
  if (comm.rank === 0) await data.write([7]);
};

const endWindow = async (comm: Communicator, { data }: BugProgramObjects): Promise<void> => {
  await comm.synchronize();
  await data.deregister();
};

export const lifetime: BugClass = {
  id: 'G19',
  title: 'a kernel ends, and its memory is reused, while its puts are pending',
  programs: [
    bugProgram({
      name: 'G19/nobody-waits',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putUntold }],
      expects: { kind: 'leftover', lines: ['net.put('], ranks: [0] },
    }),
    bugProgram({
      name: 'G19/host-overwrites-source',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putAndEnd(false) }],
      then: overwriteSource,
      expects: { kind: 'race', lines: ['host', 'net.put('], anyOrder: true, missing: ['completion'] },
    }),
    bugProgram({
      name: 'G19/host-overwrites-flushed-source',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putAndEnd(true) }],
      then: overwriteSource,
      expects: 'clean',
    }),
    bugProgram({
      name: 'G19/window-ends',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putUntold }],
      then: endWindow,
      expects: { kind: 'misuse', lines: ['net.put('], ranks: [0] },
    }),
    bugProgram({
      name: 'G19/window-ends-after-flush',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putAndEnd(true) }],
      then: endWindow,
      expects: 'clean',
    }),
  ],
};

/** Both ranks put to rank 1, to the same location or to different ones. */
const putToOne = (STRIDE: number): BugKernel =>
  kernel(
    { name: `putToOne_${STRIDE}`, use: { ...use, STRIDE }, params },
    ({ gin, lsa, teamWorld, STRIDE, coopThread, addr, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      net.put(teamWorld(comm), 1, inbox, addr(comm.rank) * STRIDE, data, 0, 8, gin.weakSignalInc(0));
      net.flush(coopThread());
      if (comm.rank === 1) {
        net.waitSignal(coopThread(), 0, 2);
        const words = lsa.localPointer(inbox, u32, 0);
        lsa.localPointer(out, u32, 0).store(0, words.load(0));
        lsa.localPointer(out, u32, 0).store(1, words.load(2));
      }
    },
  );

const putTwice = (FLUSH: boolean): BugKernel =>
  kernel(
    { name: `putTwice_${FLUSH}`, use: { ...use, FLUSH }, params },
    ({ gin, lsa, teamWorld, FLUSH, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        net.put(world, 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0)); // the first
        // The peer reports that the first put has arrived.
        if (FLUSH) net.waitSignal(coopThread(), 0, 1);
        net.put(world, 1, inbox, 0, data, 4, 4, gin.weakSignalInc(0)); // the second
        net.flush(coopThread());
      } else {
        if (FLUSH) {
          net.waitSignal(coopThread(), 0, 1);
          net.signal(world, 0, gin.weakSignalInc(0));
          net.flush(coopThread());
        }
        net.waitSignal(coopThread(), 0, 2);
        lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0));
      }
    },
  );

export const overlappingPuts: BugClass = {
  id: 'G20',
  title: 'unordered puts write overlapping bytes',
  programs: [
    bugProgram({
      name: 'G20/two-ranks',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putToOne(4) }],
      expects: { kind: 'race', lines: ['net.put(', 'net.put('], missing: ['completion'] },
    }),
    bugProgram({
      name: 'G20/places-of-their-own',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putToOne(8) }],
      result: (rank) => (rank === 0 ? [0, 0] : [dataWord(0, 0), dataWord(1, 0)]),
      expects: 'clean',
    }),
    bugProgram({
      name: 'G20/one-rank-twice',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putTwice(false) }],
      expects: { kind: 'race', lines: ['// the first', '// the second'], anyOrder: true, missing: ['completion'] },
    }),
    bugProgram({
      name: 'G20/one-after-the-other',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putTwice(true) }],
      result: (rank) => [rank === 0 ? 0 : dataWord(0, 1)],
      expects: 'clean',
    }),
  ],
};
