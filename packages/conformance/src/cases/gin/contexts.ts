import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin, type GinSharing } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat, expectValues } from '../../mismatch.ts';
import { count } from '../fixture/numbers.ts';
import { bytesOf, connect, ginRequires } from './connect.ts';

const use = { gin, teamWorld, lsa };

const apart = kernel(
  { name: 'contextsApart', use, params: { comm: devComm, src: window, dst: window, out: window } },
  ({ gin, teamWorld, lsa, coopCta, threadIdx, blockIdx, blockDim, u8, u32, u64 }, { comm, src, dst, out }) => {
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    // Each CTA has a signal and a counter of every context, and each thread has its own GIN object.
    const own = blockIdx.x;
    const contexts = comm.ginContextCount;
    const seen = lsa.localPointer(out, u64, 0).offset((own * blockDim.x + threadIdx.x) * contexts * 3);
    if (threadIdx.x === 0) {
      for (let i = u32(0); i < contexts; i++) {
        const net = gin.context(comm, i);
        const at = (own * contexts + i) * 30;
        const counted = { localAction: gin.weakCounterInc(own) };
        net.put(world, next, dst, at, src, at, 30, gin.weakSignalAdd(own, i + 1), counted);
        net.increaseSignalShadow(own, i * 100 + own);
      }
    }
    coopCta().sync();
    for (let i = u32(0); i < contexts; i++) {
      const net = gin.context(comm, i);
      net.waitSignal(coopCta(), own, i + 1);
      net.waitCounter(coopCta(), own, 1);
      // The counter covers this context's source, so any thread may overwrite it now.
      if (threadIdx.x === 1) lsa.localPointer(src, u8, 0).store((own * contexts + i) * 30, u8(0));
      seen.store(i * 3, net.readSignal(own));
      seen.store(i * 3 + 1, net.readCounter(own));
      seen.store(i * 3 + 2, net.signalShadowPtr(own).load(0));
    }
  },
);

export const separate: Case<'gin/contexts/separate'> = defineCase({
  id: 'gin/contexts/separate',
  mirrors: 'ncclGin(comm, contextIndex): each context has its own signals, counters and shadows',
  requires: { ...ginRequires, scalars: ['u64', 'u8'] },
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [apart],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      for (const ginContextCount of [1, 3, 6]) {
        const [ctas, block] = [2, 2];
        const dev = await connect(comm, { ginContextCount, ginSignalCount: ctas, ginCounterCount: ctas });
        const contexts = dev.plan.ginContextCount;
        const bytes = 30 * contexts * ctas;
        const src = await comm.allocWindow('u8', bytes);
        const dst = await comm.allocWindow('u8', bytes);
        const out = await comm.allocWindow('u64', 3 * contexts * ctas * block);
        await src.write(bytesOf(comm.rank, bytes));
        await comm.launch(apart, { grid: ctas, block }, { comm: dev, src, dst, out });
        const previous = (comm.rank + ranks - 1) % ranks;
        expectThat(contexts >= 1, 'A connection has no contexts.');
        expectValues(`data at rank ${comm.rank}`, await dst.read(), bytesOf(previous, bytes));
        const words = count(ctas * block).flatMap((thread) =>
          count(contexts).flatMap((i) => [BigInt(i + 1), 1n, BigInt(i * 100 + Math.floor(thread / block))]),
        );
        expectValues(`state of rank ${comm.rank}`, await out.read(), words);
      }
    });
  },
});

const shared = (SHARING: GinSharing) =>
  kernel(
    { name: `sharedBy_${SHARING}`, use: { gin, teamWorld, SHARING }, params: { comm: devComm, dst: window } },
    ({ gin, teamWorld, SHARING, coopThread, threadIdx, blockIdx, blockDim, u32 }, { comm, dst }) => {
      const world = teamWorld(comm);
      const next = (comm.rank + 1) % comm.nRanks;
      const at = blockIdx.x * blockDim.x + threadIdx.x;
      // One context for all, one for each CTA, and one for a thread of each CTA.
      const net = gin.context(comm, SHARING === 'gpu' ? u32(0) : blockIdx.x, SHARING);
      if (SHARING !== 'thread' || threadIdx.x === 3) {
        net.putValue(world, next, dst, at * 4, u32(comm.rank) * 1000 + at, gin.weakSignalInc(0));
      }
      const puts = SHARING === 'gpu' ? blockDim.x * 2 : SHARING === 'cta' ? blockDim.x : u32(1);
      net.waitSignal(coopThread(), 0, puts);
    },
  );

const kernels = { gpu: shared('gpu'), cta: shared('cta'), thread: shared('thread') };

export const sharing: Case<'gin/contexts/sharing'> = defineCase({
  id: 'gin/contexts/sharing',
  mirrors: 'ncclGin(comm, contextIndex, sharing): used by the GPU, one CTA or one thread only',
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: Object.values(kernels),
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      for (const mode of ['gpu', 'cta', 'thread'] as const) {
        const dev = await connect(comm, { ginContextCount: 2, ginSignalCount: 1 });
        const dst = await comm.allocWindow('u32', 32);
        await comm.launch(kernels[mode], { grid: 2, block: 16 }, { comm: dev, dst });
        const previous = (comm.rank + ranks - 1) % ranks;
        const expected = count(32).map((i) => (mode !== 'thread' || i % 16 === 3 ? previous * 1000 + i : 0));
        expectValues(`${mode} at rank ${comm.rank}`, await dst.read(), expected);
      }
    });
  },
});
