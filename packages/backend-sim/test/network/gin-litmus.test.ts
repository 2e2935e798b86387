import { explore } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { describe, expect, it } from 'vitest';
import { ginLitmus } from './gin-litmus.ts';

/** Runs of a row that has very many; with NCCLTS_EVERY_CASE set, it has all, a minute. */
const someRuns = 4000;
const everyCase = process.env['NCCLTS_EVERY_CASE'] !== undefined;

describe('every order of delivery finds exactly what is allowed', () => {
  it.each(ginLitmus)(
    '$id $what',
    { timeout: 240_000 },
    async ({ kernel, ranks, lsaSize = 1, block = 1, allowed, long = false }) => {
      const partly = long && !everyCase;
      const outcomes = new Set<string>();
      const words = allowed[0]?.split(',').length ?? 1;
      const explored = await explore(
        { ranks, lsaSize },
        async (backend) => {
          const world = await World.open({ backend });
          const found = await world.run(async (comm) => {
            const src = await comm.allocWindow('u32', 4);
            const x = await comm.allocWindow('u32', 4);
            const out = await comm.allocWindow('u32', 4);
            if (comm.rank === 0) await src.write(Uint32Array.of(1));
            const dev = await comm.createDevComm({
              ginConnectionType: 'full',
              ginContextCount: 2,
              ginSignalCount: 1,
              ginCounterCount: 1,
              worldGinBarrierCount: 1,
            });
            await comm.launch(kernel, { grid: 1, block }, { comm: dev, src, x, found: out });
            await comm.synchronize();
            return out.read();
          });
          await world.close();
          outcomes.add([...(found[ranks - 1] ?? [])].slice(0, words).join());
        },
        { runs: partly ? someRuns : 100_000 },
      );
      expect(explored.complete).toBe(!partly);
      expect([...outcomes].toSorted()).toEqual([...allowed].toSorted());
    },
  );
});
