import { World, type OpenOptions } from '@nccl-ts/communicator';
import type { GinLitmus } from './gin-litmus.ts';

/**
 * Runs a row's program once. Returns the values that its last rank has read, in the form of
 * `allowed`.
 */
export async function runGinLitmus(
  { kernel, ranks, block = 1, allowed }: GinLitmus,
  backend: OpenOptions['backend'],
): Promise<string> {
  const words = allowed[0]?.split(',').length ?? 1;
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
  return [...(found[ranks - 1] ?? [])].slice(0, words).join();
}
