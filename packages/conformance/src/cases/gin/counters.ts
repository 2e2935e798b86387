import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { count } from '../fixture/numbers.ts';
import { connect, ginRequires } from './connect.ts';

const use = { gin, teamWorld, lsa };

const reusing = kernel(
  { name: 'counters', use, params: { comm: devComm, src: window, dst: window, out: window, rounds: u32 } },
  ({ gin, teamWorld, lsa, coopCta, coopThread, threadIdx, u32, u64 }, { comm, src, dst, out, rounds }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const from = lsa.localPointer(src, u32, 0);
    for (let round = u32(0); round < rounds; round++) {
      from.store(threadIdx.x, u32(comm.rank) * 10000 + round * 100 + threadIdx.x);
      net.put(world, next, dst, round * 128, src, 0, 128, gin.weakSignalInc(0), {
        coop: coopCta(),
        localAction: gin.weakCounterInc(2),
      });
      // Afterwards the source may be overwritten.
      net.waitCounter(coopCta(), 2, round + 1, { bits: 5 });
    }
    from.store(threadIdx.x, 1);
    net.waitSignal(coopCta(), 0, rounds);
    if (threadIdx.x === 0) {
      const seen = lsa.localPointer(out, u64, 0);
      seen.store(0, net.readCounter(2));
      seen.store(1, net.readCounter(2, { bits: 2 }));
      seen.store(2, net.readCounter(1, { order: 'relaxed' }));
      net.resetCounter(2);
      seen.store(3, net.readCounter(2));
      net.put(world, next, dst, 0, src, 0, 0, gin.weakSignalInc(0), { localAction: gin.counterInc(2) });
      net.waitCounter(coopThread(), 2, 1);
      seen.store(4, net.readCounter(2));
    }
  },
);

export const sourceReuse: Case<'gin/counters/source-reuse'> = defineCase({
  id: 'gin/counters/source-reuse',
  mirrors: 'ncclGin_WeakCounterInc, ncclGin_CounterInc; ncclGin::readCounter, ::waitCounter, ::resetCounter',
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [reusing],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const rounds = 7;
      const dev = await connect(comm, { ginSignalCount: 1, ginCounterCount: 3 });
      const src = await comm.allocWindow('u32', 32);
      const dst = await comm.allocWindow('u32', 32 * rounds);
      const out = await comm.allocWindow('u64', 5);
      await comm.launch(reusing, { grid: 1, block: 32 }, { comm: dev, src, dst, out, rounds });
      const from = (comm.rank + shape.ranks - 1) % shape.ranks;
      const expected = count(rounds).flatMap((round) => count(32).map((i) => from * 10000 + round * 100 + i));
      expectValues(`data at rank ${comm.rank}`, await dst.read(), expected);
      expectValues(`counters of rank ${comm.rank}`, await out.read(), [7n, 3n, 0n, 0n, 1n]);
    });
  },
});
