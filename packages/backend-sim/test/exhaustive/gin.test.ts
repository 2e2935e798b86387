import { explore } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { describe, expect, it } from 'vitest';
import { ginLitmus } from '../network/gin-litmus.ts';

describe('every execution finds exactly what is allowed, and races where the contract is broken', () => {
  it.each(ginLitmus)('$id $what', { timeout: 60_000 }, async ({ kernel, ranks, lsaSize = 1, block = 1, allowed }) => {
    const outcomes = new Set<string>();
    const words = allowed[0]?.split(',').length ?? 1;
    const explored = await explore(
      { ranks, lsaSize, mode: 'check' },
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
      { runs: 2000 },
    );
    console.log(
      explored.runs,
      explored.complete,
      [...outcomes],
      allowed,
      explored.report?.verdict,
      explored.report?.findings.map(
        (f) => f.kind + ': ' + f.labels.map((l) => `${l.agent} ${l.does} ${l.rank}`).join(' | '),
      ),
    );
    expect(explored.complete).toBe(true);
    expect([...outcomes].toSorted()).toEqual([...allowed].toSorted());
  });
});
