import { devComm, symPtr, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u16, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { bytesOf, connect, ginRequires } from './connect.ts';

const use = { gin, teamWorld };
const ranks = [1, 4] as const;
const lsaSizes = [1, 2] as const;

const CTAS = 2;

const toAll = kernel(
  { name: 'putToAll', use, params: { comm: devComm, src: window, dst: window, bytes: u32, pitch: u32 } },
  ({ gin, teamWorld, coopCta, threadIdx, blockIdx, blockDim, u32 }, { comm, src, dst, bytes, pitch }) => {
    const net = gin.context(comm, 0);
    // Each CTA has its own signal and its own part of each window.
    const own = blockIdx.x + 1;
    const part = blockIdx.x * u32(comm.nRanks) * pitch;
    for (let peer = threadIdx.x; peer < u32(comm.nRanks); peer += blockDim.x) {
      const to = part + u32(comm.rank) * pitch + 1;
      net.put(teamWorld(comm), peer, dst, to, src, part + peer * pitch + 3, bytes, gin.weakSignalInc(own));
    }
    net.waitSignal(coopCta(), own, comm.nRanks);
    net.flush(coopCta());
  },
);

export const windows: Case<'gin/put/windows'> = defineCase({
  id: 'gin/put/windows',
  mirrors: 'ncclGin::put of bytes at any offset to every rank, the own one among them; ncclGin_WeakSignalInc',
  requires: ginRequires,
  ranks: [1, 4, 8],
  lsaSizes: [1, 2],
  kernels: [toAll],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      for (const bytes of [1, 3, 8, 29, 200]) {
        const pitch = bytes + 5;
        const part = pitch * shape.ranks;
        const dev = await connect(comm, { ginSignalCount: 1 + CTAS });
        const src = await comm.allocWindow('u8', CTAS * part);
        const dst = await comm.allocWindow('u8', CTAS * part);
        await src.write(bytesOf(comm.rank, CTAS * part));
        await dst.write(new Uint8Array(CTAS * part).fill(255));
        // No rank puts to memory that another rank still writes.
        await meet(comm);
        await comm.launch(toAll, { grid: CTAS, block: 32 }, { comm: dev, src, dst, bytes, pitch });
        const expected = count(CTAS).flatMap((cta) =>
          count(shape.ranks).flatMap((from) => {
            const first = cta * part + comm.rank * pitch + 3;
            const sent = bytesOf(from, CTAS * part).subarray(first, first + bytes);
            return [255, ...sent, 255, 255, 255, 255];
          }),
        );
        expectValues(`${bytes} bytes at rank ${comm.rank}`, await dst.read(), expected);
      }
    });
  },
});

const elementwise = kernel(
  { name: 'putElements', use, params: { comm: devComm, src: symPtr(u16), dst: symPtr(u16), count: u32 } },
  ({ gin, teamWorld, coopThread, threadIdx, blockIdx, blockDim }, { comm, src, dst, count }) => {
    const net = gin.context(comm, 0);
    const next = (comm.rank + 1) % comm.nRanks;
    // Each thread has its own signal and its own part of each window.
    const own = blockIdx.x * blockDim.x + threadIdx.x;
    const at = own * count;
    net.putElements(teamWorld(comm), next, dst.add(at), src.add(at), count, gin.weakSignalAdd(own, 2));
    net.waitSignal(coopThread(), own, 2);
  },
);

export const elements: Case<'gin/put/elements'> = defineCase({
  id: 'gin/put/elements',
  mirrors: 'ncclGin::put with ncclSymPtr, which counts elements',
  requires: { ...ginRequires, scalars: ['u64', 'u16'] },
  ranks,
  lsaSizes,
  kernels: [elementwise],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const threads = 4;
      const dev = await connect(comm, { ginSignalCount: threads });
      const src = await comm.allocWindow('u16', 60);
      const dst = await comm.allocWindow('u16', 60);
      await src.write(Uint16Array.from({ length: 60 }, (_, i) => comm.rank * 1000 + i));
      const args = { comm: dev, src: src.symPtr(2 * 5), dst: dst.symPtr(2 * 2), count: 11 };
      await comm.launch(elementwise, { grid: 2, block: 2 }, args);
      const from = (comm.rank + shape.ranks - 1) % shape.ranks;
      const expected = count(60).map((i) => (i >= 2 && i < 2 + threads * 11 ? from * 1000 + i + 3 : 0));
      expectValues(`rank ${comm.rank}`, await dst.read(), expected);
    });
  },
});

const plain = kernel(
  { name: 'putWithoutAction', use, params: { comm: devComm, src: window, dst: window } },
  ({ gin, teamWorld, coopThread, threadIdx, blockIdx, blockDim, u32 }, { comm, src, dst }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    // Each thread has its own signal and its own part of each window.
    const own = blockIdx.x * blockDim.x + threadIdx.x;
    // Only the signal after these puts announces them.
    for (let i = u32(0); i < 6; i++) net.put(world, next, dst, (own * 6 + i) * 20, src, (own * 6 + i) * 20, 20);
    net.signal(world, next, gin.strongSignalInc(own));
    net.waitSignal(coopThread(), own, 1);
  },
);

export const withoutAction: Case<'gin/put/without-action'> = defineCase({
  id: 'gin/put/without-action',
  mirrors: 'ncclGin_None; ncclGin_StrongSignalInc, which covers every put before it',
  requires: ginRequires,
  ranks,
  lsaSizes,
  kernels: [plain],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const threads = 4;
      const bytes = 120 * threads;
      const dev = await connect(comm, { ginSignalCount: threads });
      const src = await comm.allocWindow('u8', bytes);
      const dst = await comm.allocWindow('u8', bytes);
      await src.write(bytesOf(comm.rank, bytes));
      await comm.launch(plain, { grid: 2, block: 2 }, { comm: dev, src, dst });
      const from = (comm.rank + shape.ranks - 1) % shape.ranks;
      expectValues(`rank ${comm.rank}`, await dst.read(), bytesOf(from, bytes));
    });
  },
});

const byGroups = kernel(
  { name: 'putByGroups', use: { gin, teamWorld, lsa }, params: { comm: devComm, src: window, dst: window } },
  ({ gin, teamWorld, lsa, coopCta, coopWarp, threadIdx, blockIdx, u32, sharedArray, u64 }, { comm, src, dst }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    // Each CTA has three signals and its own part of each window.
    const told = blockIdx.x * 3;
    const first = blockIdx.x * 768;
    const from = lsa.localPointer(src, u32, first);
    const own = u32(comm.rank) * 1000 + blockIdx.x * 300 + threadIdx.x;
    const room = sharedArray(u64, 16);
    // Every thread writes data that its group then puts. The put must contain all of it.
    from.store(threadIdx.x, own);
    net.put(world, next, dst, first, src, first, 256, gin.weakSignalInc(told), { coop: coopCta() });
    from.store(64 + threadIdx.x, own + 100);
    const warp = threadIdx.x / 32;
    const second = first + 256 + warp * 128;
    net.put(world, next, dst, second, src, second, 128, gin.weakSignalInc(told + 1), {
      coop: coopWarp(),
      descriptor: room.offset(warp * 8),
      segment: 'device',
    });
    from.store(128 + threadIdx.x, own + 200);
    const third = first + 512 + threadIdx.x * 4;
    net.put(world, next, dst, third, src, third, 4, gin.weakSignalInc(told + 2), { maySkipCreditCheck: true });
    net.waitSignal(coopCta(), told, 1);
    net.waitSignal(coopWarp(), told + 1, 2);
    net.waitSignal(coopCta(), told + 2, 64);
  },
);

export const groups: Case<'gin/put/groups'> = defineCase({
  id: 'gin/put/groups',
  mirrors: 'ncclGin::put of a CTA, of warps, and of single threads; ncclGin_DescriptorSmem, ncclGin_SegmentDevice',
  requires: ginRequires,
  ranks,
  lsaSizes,
  kernels: [byGroups],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const ctas = 2;
      const dev = await connect(comm, { ginSignalCount: 3 * ctas });
      const src = await comm.allocWindow('u32', 192 * ctas);
      const dst = await comm.allocWindow('u32', 192 * ctas);
      await comm.launch(byGroups, { grid: ctas, block: 64 }, { comm: dev, src, dst });
      const from = (comm.rank + shape.ranks - 1) % shape.ranks;
      const expected = count(192 * ctas).map((i) => from * 1000 + Math.floor(i / 64) * 100 + (i % 64));
      expectValues(`rank ${comm.rank}`, await dst.read(), expected);
    });
  },
});

const releasing = kernel(
  { name: 'putReleased', use: { gin, teamWorld, lsa }, params: { comm: devComm, src: window, dst: window } },
  ({ gin, teamWorld, lsa, coopCta, fence, threadIdx, blockIdx, u32 }, { comm, src, dst }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    // Each CTA has its own signal and its own part of each window.
    const told = blockIdx.x;
    const first = told * 384;
    const from = lsa.localPointer(src, u32, first);
    const own = u32(comm.rank) * 100 + told * 40 + threadIdx.x;
    from.store(threadIdx.x, own);
    net.put(world, next, dst, first, src, first, 128, gin.weakSignalInc(told), {
      coop: coopCta(),
      givenRelease: 'thread',
    });
    from.store(32 + threadIdx.x, own + 1);
    fence('release', 'device');
    coopCta().sync();
    if (threadIdx.x === 0) {
      const second = first + 128;
      net.put(world, next, dst, second, src, second, 128, gin.weakSignalInc(told), { givenRelease: 'device' });
    }
    from.store(64 + threadIdx.x, own + 2);
    const third = first + 256;
    net.put(world, next, dst, third, src, third, 128, gin.weakSignalInc(told), {
      coop: coopCta(),
      givenRelease: 'block',
      requiredRelease: 'system',
    });
    net.waitSignal(coopCta(), told, 3);
  },
);

export const releases: Case<'gin/put/releases'> = defineCase({
  id: 'gin/put/releases',
  mirrors: 'givenRelease and requiredRelease of ncclGin::put',
  requires: ginRequires,
  ranks,
  lsaSizes,
  kernels: [releasing],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const ctas = 2;
      const dev = await connect(comm, { ginSignalCount: ctas });
      const src = await comm.allocWindow('u32', 96 * ctas);
      const dst = await comm.allocWindow('u32', 96 * ctas);
      await comm.launch(releasing, { grid: ctas, block: 32 }, { comm: dev, src, dst });
      const from = (comm.rank + shape.ranks - 1) % shape.ranks;
      const expected = count(ctas).flatMap((cta) =>
        count(96).map((i) => from * 100 + cta * 40 + (i % 32) + Math.floor(i / 32)),
      );
      expectValues(`rank ${comm.rank}`, await dst.read(), expected);
    });
  },
});
