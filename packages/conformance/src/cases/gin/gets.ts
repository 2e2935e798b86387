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
  ({ gin, teamWorld, lsa, coopCta, threadIdx, blockDim, u8, u32 }, { comm, src, dst, out, bytes }) => {
    const net = gin.context(comm, 0);
    for (let peer = threadIdx.x; peer < u32(comm.nRanks); peer += blockDim.x) {
      net.get(teamWorld(comm), peer, src, u32(comm.rank) * bytes + 1, dst, peer * bytes, bytes);
    }
    net.flush(coopCta());
    // Any thread sees what any other one has got.
    const all = u32(comm.nRanks) * bytes;
    for (let i = threadIdx.x; i < all; i += blockDim.x) {
      lsa.localPointer(out, u8, 0).store(i, lsa.localPointer(dst, u8, 0).load(all - 1 - i));
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
      for (const bytes of [1, 7, 64, 150]) {
        const dev = await connect(comm);
        const src = await comm.allocWindow('u8', shape.ranks * bytes + 1);
        const dst = await comm.allocWindow('u8', shape.ranks * bytes);
        const out = await comm.allocWindow('u8', shape.ranks * bytes);
        await src.write(bytesOf(comm.rank, shape.ranks * bytes + 1));
        await meet(comm);
        await comm.launch(fromAll, { grid: 1, block: 32 }, { comm: dev, src, dst, out, bytes });
        const begin = comm.rank * bytes + 1;
        const got = count(shape.ranks).flatMap((from) => [
          ...bytesOf(from, shape.ranks * bytes + 1).subarray(begin, begin + bytes),
        ]);
        expectValues(`${bytes} bytes got by rank ${comm.rank}`, await dst.read(), got);
        expectValues(`${bytes} bytes seen by rank ${comm.rank}`, await out.read(), got.toReversed());
        await meet(comm);
      }
    });
  },
});

const chase = kernel(
  { name: 'getInChain', use, params: { comm: devComm, table: window, dst: window, steps: u32 } },
  ({ gin, teamWorld, lsa, coopThread, i32, u32 }, { comm, table, dst, steps }) => {
    const net = gin.context(comm, 0);
    const got = lsa.localPointer(dst, u32, 0);
    let at = u32(comm.rank);
    for (let step = u32(0); step < steps; step++) {
      // What was got says where to get the next one from.
      net.get(teamWorld(comm), i32(at % u32(comm.nRanks)), table, at * 4, dst, 0, 4, { coop: coopThread() });
      net.flush(coopThread());
      at = got.load(0);
    }
    got.store(1, at);
  },
);

export const chain: Case<'gin/get/chain'> = defineCase({
  id: 'gin/get/chain',
  mirrors: 'ncclGin::get and ::flush, over and over into one place',
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
      const dst = await comm.allocWindow('u32', 2);
      await table.write(Uint32Array.from({ length: places }, (_, at) => next(comm.rank, at)));
      await meet(comm);
      await comm.launch(chase, { grid: 1, block: 1 }, { comm: dev, table, dst, steps: 12 });
      let at = comm.rank;
      for (let step = 0; step < 12; step++) at = next(at % ranks, at);
      expectValues(`rank ${comm.rank}`, await dst.read(), [at, at]);
      await meet(comm);
    });
  },
});
