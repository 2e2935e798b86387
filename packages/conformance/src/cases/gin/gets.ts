import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { bytesOf, connect, ginRequires } from './connect.ts';

const use = { gin, teamWorld, lsa };

const fromAll = kernel(
  { name: 'getFromAll', use, params: { comm: devComm, src: window, dst: window, out: window, bytes: u32 } },
  (
    { gin, teamWorld, lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, u8, u32 },
    { comm, src, dst, out, bytes },
  ) => {
    const net = gin.context(comm, 0);
    // Each CTA gets its own part from every rank.
    const all = u32(comm.nRanks) * bytes;
    const first = blockIdx.x * all;
    const from = (u32(comm.rank) * gridDim.x + blockIdx.x) * bytes + 1;
    for (let peer = threadIdx.x; peer < u32(comm.nRanks); peer += blockDim.x) {
      net.get(teamWorld(comm), peer, src, from, dst, first + peer * bytes, bytes);
    }
    net.flush(coopCta());
    // Any thread of the CTA sees the data that another thread got.
    for (let i = threadIdx.x; i < all; i += blockDim.x) {
      lsa.localPointer(out, u8, first).store(i, lsa.localPointer(dst, u8, first).load(all - 1 - i));
    }
  },
);

export const fromEveryRank: Case<'gin/get/from-every-rank'> = defineCase({
  id: 'gin/get/from-every-rank',
  mirrors: 'ncclGin::get, which a flush ends',
  requires: { ...ginRequires, scalars: ['u64', 'u8'] },
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [fromAll],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const ctas = 2;
      for (const bytes of [1, 7, 64, 150]) {
        const all = ctas * shape.ranks * bytes;
        const dev = await connect(comm);
        const src = await comm.allocWindow('u8', all + 1);
        const dst = await comm.allocWindow('u8', all);
        const out = await comm.allocWindow('u8', all);
        await src.write(bytesOf(comm.rank, all + 1));
        await meet(comm);
        await comm.launch(fromAll, { grid: ctas, block: 32 }, { comm: dev, src, dst, out, bytes });
        const got = count(ctas).map((cta) =>
          count(shape.ranks).flatMap((from) => {
            const begin = (comm.rank * ctas + cta) * bytes + 1;
            return [...bytesOf(from, all + 1).subarray(begin, begin + bytes)];
          }),
        );
        expectValues(`${bytes} bytes that rank ${comm.rank} got`, await dst.read(), got.flat());
        const seen = got.flatMap((part) => part.toReversed());
        expectValues(`${bytes} bytes that rank ${comm.rank} sees`, await out.read(), seen);
        await meet(comm);
      }
    });
  },
});

const chase = kernel(
  { name: 'getInChain', use, params: { comm: devComm, table: window, dst: window, steps: u32 } },
  ({ gin, teamWorld, lsa, coopThread, threadIdx, blockIdx, blockDim, i32, u32 }, { comm, table, dst, steps }) => {
    const net = gin.context(comm, 0);
    // Each thread takes its own path.
    const own = blockIdx.x * blockDim.x + threadIdx.x;
    const got = lsa.localPointer(dst, u32, own * 8);
    let at = u32(comm.rank) + own * 4;
    for (let step = u32(0); step < steps; step++) {
      // The value from one get decides the source of the next.
      net.get(teamWorld(comm), i32(at % u32(comm.nRanks)), table, at * 4, dst, own * 8, 4, { coop: coopThread() });
      net.flush(coopThread());
      at = got.load(0);
    }
    got.store(1, at);
  },
);

export const chain: Case<'gin/get/chain'> = defineCase({
  id: 'gin/get/chain',
  mirrors: 'ncclGin::get and ::flush, repeated into one location',
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [chase],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const places = 16;
      const next = (rank: number, at: number): number => (at * 5 + rank * 3 + 1) % places;
      const dev = await connect(comm);
      const table = await comm.allocWindow('u32', places);
      const threads = 4;
      const dst = await comm.allocWindow('u32', 2 * threads);
      await table.write(Uint32Array.from({ length: places }, (_, at) => next(comm.rank, at)));
      await meet(comm);
      await comm.launch(chase, { grid: 2, block: 2 }, { comm: dev, table, dst, steps: 12 });
      const ends = count(threads).flatMap((thread) => {
        const at = count(12).reduce((place) => next(place % ranks, place), comm.rank + 4 * thread);
        return [at, at];
      });
      expectValues(`rank ${comm.rank}`, await dst.read(), ends);
      await meet(comm);
    });
  },
});
