import { getLsaDevicePointer, getPeerDevicePointer, winGetUserPtr } from '@nccl-ts/communicator';
import { devComm, resourceLocalPointer, resourceLsaPointer, symPtr, window } from '@nccl-ts/devcomm';
import { addr, i32, kernel, ptr, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectSame, expectThat, expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';

const shapes = { ranks: [1, 2, 4], lsaSizes: [1, 2, 4] };
const words = 32;

/** The initial contents of word `i` of a rank's window. */
const mark = (rank: number, i: number): number => rank * 1000 + i;
const marks = (rank: number, n: number = words): readonly number[] => count(n).map((i) => mark(rank, i));
const first = (rank: number, lsaSize: number): number => rank - (rank % lsaSize);

const increment = kernel(
  { name: 'incrementOwn', use: { lsa }, params: { win: window } },
  ({ lsa, threadIdx, u32 }, { win }) => {
    const p = lsa.localPointer(win, u32, 0);
    p.store(threadIdx.x, p.load(threadIdx.x) + 1);
  },
);

export const localPointer: Case<'windows/local-pointer'> = defineCase({
  id: 'windows/local-pointer',
  mirrors: 'ncclGetLocalPointer',
  ...shapes,
  kernels: [increment],
  run: async ({ run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', words);
      await win.write(marks(comm.rank));
      await comm.launch(increment, { grid: 1, block: words }, { win });
      expectValues(
        `rank ${comm.rank}`,
        await win.read(),
        marks(comm.rank).map((v) => v + 1),
      );
    });
  },
});

const gatherLsa = kernel(
  { name: 'gatherLsa', use: { lsa }, params: { from: window, to: window, nPeers: i32 } },
  ({ lsa, threadIdx, u32 }, { from, to, nPeers }) => {
    const o = lsa.localPointer(to, u32, 0);
    for (let peer = 0; peer < nPeers; peer++)
      o.store(peer * 32 + threadIdx.x, lsa.pointer(from, u32, 0, peer).load(threadIdx.x));
  },
);

export const lsaPointer: Case<'windows/lsa-pointer'> = defineCase({
  id: 'windows/lsa-pointer',
  mirrors: 'ncclGetLsaPointer',
  ...shapes,
  kernels: [gatherLsa],
  run: async ({ shape: { lsaSize }, run }) => {
    await run(async (comm) => {
      const from = await comm.allocWindow('u32', words);
      const to = await comm.allocWindow('u32', words * lsaSize);
      await from.write(marks(comm.rank));
      await meet(comm);
      await comm.launch(gatherLsa, { grid: 1, block: words }, { from, to, nPeers: lsaSize });
      const base = first(comm.rank, lsaSize);
      expectValues(
        `rank ${comm.rank}`,
        await to.read(),
        count(lsaSize).flatMap((peer) => marks(base + peer)),
      );
    });
  },
});

const gatherPeers = kernel(
  { name: 'gatherPeers', use: { lsa }, params: { comm: devComm, from: window, to: window } },
  ({ lsa, threadIdx, u32 }, { comm, from, to }) => {
    const o = lsa.localPointer(to, u32, 0);
    const base = comm.rank - comm.lsaRank;
    for (let i = 0; i < comm.lsaSize; i++)
      o.store(i * 32 + threadIdx.x, lsa.peerPointer(from, u32, 0, base + i).load(threadIdx.x));
  },
);

export const peerPointer: Case<'windows/peer-pointer'> = defineCase({
  id: 'windows/peer-pointer',
  mirrors: 'ncclGetPeerPointer',
  ...shapes,
  kernels: [gatherPeers],
  run: async ({ shape: { lsaSize }, run }) => {
    await run(async (comm) => {
      const from = await comm.allocWindow('u32', words);
      const to = await comm.allocWindow('u32', words * lsaSize);
      await from.write(marks(comm.rank));
      const dev = await comm.createDevComm();
      await comm.launch(gatherPeers, { grid: 1, block: words }, { comm: dev, from, to });
      const base = first(comm.rank, lsaSize);
      expectValues(
        `rank ${comm.rank}`,
        await to.read(),
        count(lsaSize).flatMap((peer) => marks(base + peer)),
      );
    });
  },
});

const reached = kernel(
  { name: 'reachedPeers', use: { lsa }, params: { comm: devComm, from: window, to: window } },
  ({ lsa, u32 }, { comm, from, to }) => {
    const o = lsa.localPointer(to, u32, 0);
    for (let peer = 0; peer < comm.nRanks; peer++) {
      if (lsa.canGetPeerPointer(comm, peer)) o.store(peer, lsa.peerPointer(from, u32, 0, peer).load(0) + 1);
    }
    o.store(comm.nRanks, lsa.canGetPeerPointer(comm, -1) || lsa.canGetPeerPointer(comm, comm.nRanks) ? 1 : 0);
  },
);

export const canGetPeerPointer: Case<'windows/can-get-peer-pointer'> = defineCase({
  id: 'windows/can-get-peer-pointer',
  mirrors: 'ncclDevCommCanGetPeerPointer: true exactly for the ranks that ncclGetPeerPointer reaches',
  ranks: [1, 4, 8],
  lsaSizes: [1, 2, 4],
  kernels: [reached],
  run: async ({ shape: { ranks, lsaSize }, run }) => {
    await run(async (comm) => {
      const from = await comm.allocWindow('u32', words);
      const to = await comm.allocWindow('u32', ranks + 1);
      await from.write(marks(comm.rank));
      const dev = await comm.createDevComm();
      await comm.launch(reached, { grid: 1, block: 1 }, { comm: dev, from, to });
      const base = first(comm.rank, lsaSize);
      const seen = count(ranks).map((peer) => {
        const [mark = 0] = marks(peer);
        return peer >= base && peer < base + lsaSize ? mark + 1 : 0;
      });
      expectValues(`rank ${comm.rank}`, await to.read(), [...seen, 0]);
    });
  },
});

const scatter = kernel(
  { name: 'scatterToPeers', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, threadIdx, u32 }, { comm, win }) => {
    for (let peer = 0; peer < comm.lsaSize; peer++) {
      lsa.pointer(win, u32, 0, peer).store(comm.lsaRank * 32 + threadIdx.x, u32(comm.rank * 1000) + threadIdx.x);
    }
  },
);

export const storeToPeers: Case<'windows/store-to-peers'> = defineCase({
  id: 'windows/store-to-peers',
  mirrors: 'ncclGetLsaPointer',
  ...shapes,
  kernels: [scatter],
  run: async ({ shape: { lsaSize }, run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', words * lsaSize);
      const dev = await comm.createDevComm();
      await comm.launch(scatter, { grid: 1, block: words }, { comm: dev, win });
      await meet(comm);
      const base = first(comm.rank, lsaSize);
      expectValues(
        `rank ${comm.rank}`,
        await win.read(),
        count(lsaSize).flatMap((peer) => marks(base + peer)),
      );
    });
  },
});

const throughSymPtr = kernel(
  { name: 'throughSymPtr', use: { lsa }, params: { comm: devComm, at: symPtr(u32), out: window } },
  ({ lsa, threadIdx, u32 }, { comm, at, out }) => {
    const o = lsa.localPointer(out, u32, 0);
    const next = (comm.lsaRank + 1) % comm.lsaSize;
    o.store(threadIdx.x, at.localPtr().load(threadIdx.x));
    o.store(8 + threadIdx.x, at.lsaPtr(next).load(threadIdx.x));
    o.store(16 + threadIdx.x, at.peerPtr(comm.rank - comm.lsaRank + next).load(threadIdx.x));
  },
);

export const symmetricPointer: Case<'windows/sym-ptr'> = defineCase({
  id: 'windows/sym-ptr',
  mirrors: 'ncclSymPtr',
  ...shapes,
  kernels: [throughSymPtr],
  run: async ({ shape: { lsaSize }, run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', words);
      await win.write(marks(comm.rank));
      const out = await comm.allocWindow('u32', 24);
      const dev = await comm.createDevComm();
      const at = { window: win, offset: 20 };
      await comm.launch(throughSymPtr, { grid: 1, block: 8 }, { comm: dev, at, out });
      const next = first(comm.rank, lsaSize) + ((comm.lsaRank + 1) % lsaSize);
      const from = (rank: number): readonly number[] => marks(rank).slice(5, 13);
      expectValues(`rank ${comm.rank}`, await out.read(), [...from(comm.rank), ...from(next), ...from(next)]);
    });
  },
});

const throughPointers = kernel(
  { name: 'throughPointers', use: { lsa }, params: { own: ptr(u32), near: ptr(u32), out: window } },
  ({ lsa, threadIdx, u32 }, { own, near, out }) => {
    const o = lsa.localPointer(out, u32, 0);
    o.store(threadIdx.x, own.load(threadIdx.x) + near.load(threadIdx.x));
    near.store(16 + threadIdx.x, own.load(threadIdx.x));
  },
);

export const devicePointers: Case<'windows/device-pointer-parameters'> = defineCase({
  id: 'windows/device-pointer-parameters',
  mirrors: 'ncclGetLsaDevicePointer, ncclGetPeerDevicePointer, ncclWinGetUserPtr',
  ...shapes,
  kernels: [throughPointers],
  run: async ({ shape: { ranks, lsaSize }, run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', words);
      await win.write(marks(comm.rank));
      const out = await comm.allocWindow('u32', 4);
      const base = first(comm.rank, lsaSize);
      const next = (comm.lsaRank + 1) % lsaSize;
      const near = getLsaDevicePointer(win, 8, next);
      if (near === null) throw new Error('A rank in the same domain has no address.');
      expectSame('the same rank by its world rank', getPeerDevicePointer(win, 8, base + next)?.address, near.address);
      for (const peer of count(ranks)) {
        const reached = getPeerDevicePointer(win, 0, peer) !== null;
        expectSame(`whether rank ${comm.rank} reaches ${peer}`, reached, peer >= base && peer < base + lsaSize);
      }
      await meet(comm);
      await comm.launch(throughPointers, { grid: 1, block: 4 }, { own: winGetUserPtr(win), near, out });
      const expected = count(4).map((i) => mark(comm.rank, i) + mark(base + next, 2 + i));
      expectValues(`rank ${comm.rank}`, await out.read(), expected);
      await meet(comm);
      const previous = base + ((comm.lsaRank + lsaSize - 1) % lsaSize);
      const after = [...marks(comm.rank).slice(0, 18), ...marks(previous, 4), ...marks(comm.rank).slice(22)];
      expectValues(`window of rank ${comm.rank}`, await win.read(), after);
    });
  },
});

const throughResources = kernel(
  {
    name: 'throughResources',
    use: { lsa, resourceLocalPointer, resourceLsaPointer },
    params: { comm: devComm, one: u32, two: u32, out: window, phase: u32 },
  },
  ({ lsa, resourceLocalPointer, resourceLsaPointer, threadIdx, u32 }, { comm, one, two, out, phase }) => {
    const a = resourceLocalPointer(comm, u32, one);
    const b = resourceLocalPointer(comm, u32, two);
    const o = lsa.localPointer(out, u32, 0);
    if (phase === 0) {
      // Zero-filled before any write.
      o.store(threadIdx.x, a.load(threadIdx.x) + b.load(threadIdx.x));
      a.store(threadIdx.x, u32(comm.rank) * 100 + threadIdx.x);
      b.store(threadIdx.x, u32(comm.rank) * 100 + 50 + threadIdx.x);
    } else {
      const next = (comm.lsaRank + 1) % comm.lsaSize;
      o.store(threadIdx.x, resourceLsaPointer(comm, u32, one, next).load(threadIdx.x));
      o.store(16 + threadIdx.x, resourceLsaPointer(comm, u32, two, next).load(threadIdx.x));
    }
  },
);

export const resourcePointers: Case<'windows/resource-buffers'> = defineCase({
  id: 'windows/resource-buffers',
  mirrors: 'ncclGetResourceBufferLocalPointer, ncclGetResourceBufferLsaPointer',
  ...shapes,
  kernels: [throughResources],
  run: async ({ shape: { lsaSize }, run }) => {
    await run(async (comm) => {
      const out = await comm.allocWindow('u32', 32);
      await out.write(new Uint32Array(32).fill(9));
      const requirements = [{ bufferSize: 64 }, { bufferSize: 100, bufferAlign: 256 }];
      const dev = await comm.createDevComm({ resourceRequirementsList: requirements });
      const [one, two] = dev.plan.resources;
      if (one === undefined || two === undefined) throw new Error('The plan names too few resources.');
      expectThat((two.bufHandle * 128) % 256 === 0, 'The second buffer does not have the required alignment.');
      const args = { comm: dev, one: one.bufHandle, two: two.bufHandle, out };
      await comm.launch(throughResources, { grid: 1, block: 16 }, { ...args, phase: 0 });
      expectValues(
        'fresh buffers',
        (await out.read()).subarray(0, 16),
        count(16).map(() => 0),
      );
      await meet(comm);
      await comm.launch(throughResources, { grid: 1, block: 16 }, { ...args, phase: 1 });
      const next = first(comm.rank, lsaSize) + ((comm.lsaRank + 1) % lsaSize);
      const expected = [...count(16, next * 100), ...count(16, next * 100 + 50)];
      expectValues(`rank ${comm.rank}`, await out.read(), expected);
    });
  },
});

const atOffsets = kernel(
  { name: 'atOffsets', use: { lsa }, params: { win: window, offset: addr } },
  ({ lsa, threadIdx, u32 }, { win, offset }) => {
    lsa.localPointer(win, u32, offset + 4 * threadIdx.x).store(0, 7 + threadIdx.x);
    lsa.localPointer(win, u32, 64 + offset).store(threadIdx.x, 70 + threadIdx.x);
  },
);

export const byteOffsets: Case<'windows/byte-offsets'> = defineCase({
  id: 'windows/byte-offsets',
  mirrors: 'ncclGetLocalPointer',
  ranks: [1],
  kernels: [atOffsets],
  run: async ({ run }) => {
    await run(async (comm) => {
      for (const offset of [0, 12, 48]) {
        const win = await comm.allocWindow('u32', words);
        await comm.launch(atOffsets, { grid: 1, block: 4 }, { win, offset });
        const at = offset / 4;
        const expected = count(words).map((i) => {
          if (i >= at && i < at + 4) return 7 + (i - at);
          return i >= at + 16 && i < at + 20 ? 70 + (i - at - 16) : 0;
        });
        expectValues(`at byte ${offset}`, await win.read(), expected);
      }
    });
  },
});
