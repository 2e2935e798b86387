import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { bytesOf, connect, ginRequires } from './connect.ts';

const ctas = 2;

const getting = kernel(
  {
    name: 'fencedGets',
    use: { gin, lsa, teamWorld },
    params: { comm: devComm, src: window, dst: window, out: window },
  },
  ({ gin, lsa, teamWorld, coopWarp, threadIdx, blockIdx, blockDim, gridDim, u8, u32 }, { comm, src, dst, out }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const bar = gin.barrierSession(coopWarp(), net, 'world', 1 + blockIdx.x);
    // Each CTA gets its own part from every rank.
    const all = u32(comm.nRanks) * 30;
    const first = blockIdx.x * all;
    const from = (u32(comm.rank) * gridDim.x + blockIdx.x) * 30;
    bar.sync(coopWarp(), 'acquire', 'none');
    for (let peer = threadIdx.x; peer < u32(comm.nRanks); peer += blockDim.x) {
      net.get(world, peer, src, from, dst, first + peer * 30, 30);
    }
    bar.sync(coopWarp(), 'acq_rel', 'get');
    for (let i = threadIdx.x; i < all; i += blockDim.x) {
      lsa.localPointer(out, u8, first).store(i, lsa.localPointer(dst, u8, first).load(i));
    }
  },
);

export const fenceGet: Case<'gin/barriers/fence-get'> = defineCase({
  id: 'gin/barriers/fence-get',
  mirrors: 'ncclGinFenceLevel::Get',
  requires: { ...ginRequires, scalars: ['u64', 'u8'] },
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [getting],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const bytes = ctas * ranks * 30;
      const dev = await connect(comm, { worldGinBarrierCount: 1 + ctas });
      const src = await comm.allocWindow('u8', bytes);
      const dst = await comm.allocWindow('u8', bytes);
      const out = await comm.allocWindow('u8', bytes);
      await src.write(bytesOf(comm.rank, bytes));
      await meet(comm);
      await comm.launch(getting, { grid: ctas, block: 32 }, { comm: dev, src, dst, out });
      const got = count(ctas).flatMap((cta) => {
        const begin = (comm.rank * ctas + cta) * 30;
        return count(ranks).flatMap((from) => [...bytesOf(from, bytes).subarray(begin, begin + 30)]);
      });
      expectValues(`rank ${comm.rank}`, await out.read(), got);
      await meet(comm);
    });
  },
});

const timed = kernel(
  { name: 'timedGinBarrier', use: { gin, lsa }, params: { comm: devComm, win: window, cycles: u64, rounds: u32 } },
  ({ gin, lsa, coopCta, threadIdx, blockIdx, u32 }, { comm, win, cycles, rounds }) => {
    const bar = gin.barrierSession(coopCta(), gin.context(comm, 0), 'world', blockIdx.x);
    const out = lsa.localPointer(win, u32, 0).offset(blockIdx.x * rounds * 32);
    for (let round = u32(0); round < rounds; round++) {
      out.store(round * 32 + threadIdx.x, bar.sync(coopCta(), 'acq_rel', 'putGet', cycles));
    }
  },
);

export const inTime: Case<'gin/barriers/in-time'> = defineCase({
  id: 'gin/barriers/in-time',
  mirrors: 'ncclGinBarrierSession::sync with timeoutCycles',
  requires: { ...ginRequires, divergentWaits: true },
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [timed],
  run: async ({ run }) => {
    await run(async (comm) => {
      const dev = await connect(comm, { worldGinBarrierCount: ctas });
      const win = await comm.allocWindow('u32', ctas * 96);
      await win.write(new Uint32Array(ctas * 96).fill(99));
      await comm.launch(timed, { grid: ctas, block: 32 }, { comm: dev, win, cycles: 2n ** 40n, rounds: 3 });
      expectValues(
        `rank ${comm.rank}`,
        await win.read(),
        count(ctas * 96).map(() => 0),
      );
    });
  },
});

export const rankMissing: Case<'gin/barriers/rank-missing'> = defineCase({
  id: 'gin/barriers/rank-missing',
  results: 'order',
  mirrors: 'ncclTimeout of a GIN barrier',
  requires: { ...ginRequires, divergentWaits: true },
  ranks: [2, 4],
  lsaSizes: [1, 2],
  kernels: [timed],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const dev = await connect(comm, { worldGinBarrierCount: ctas });
      const win = await comm.allocWindow('u32', ctas * 32);
      const isMissing = comm.rank === ranks - 1;
      if (!isMissing) {
        await comm.launch(timed, { grid: ctas, block: 32 }, { comm: dev, win, cycles: 2000n, rounds: 1 });
      }
      const after = await win.read();
      // In each CTA one thread waits for each peer, and the thread that waits for the missing peer
      // times out.
      for (const cta of count(ctas)) {
        const own = after.subarray(cta * 32, (cta + 1) * 32);
        expectValues(`time-outs on rank ${comm.rank}, CTA ${cta}`, [own.includes(8)], [!isMissing]);
      }
      const others = after.filter((code) => code !== 8 && code !== 0);
      expectValues('other results', others, []);
      await meet(comm);
    });
  },
});
