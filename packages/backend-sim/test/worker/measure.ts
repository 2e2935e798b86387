/**
 * Measures barriers and an all-reduce on worker threads: `npx tsx --conditions @nccl-ts/source
 * packages/backend-sim/test/worker/measure.ts RANKS WORKERS`.
 */
import { medianOf } from '@nccl-ts/core';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';

import { allReduce, barriers } from './kernels.ts';

const ROUNDS = 2000;

const [ranks = 8, workers = 2] = process.argv.slice(2).map(Number);

async function measured(times: number[], count: number, run: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) {
    const before = performance.now();
    await run();
    times.push(performance.now() - before);
  }
}

await using world = await World.open({ backend: sim({ ranks, engine: 'wasm', workers }) });
const times: Record<'barriers' | 'small' | 'large', number[]> = { barriers: [], small: [], large: [] };
await world.run(async (comm) => {
  const own: typeof times = comm.rank === 0 ? times : { barriers: [], small: [], large: [] };
  const dev = await comm.createDevComm({ lsaBarrierCount: 16 });
  await measured(own.barriers, 15, async () => {
    await comm.launch(barriers, { grid: 1, block: 32 }, { comm: dev, rounds: ROUNDS });
    await comm.synchronize();
  });
  for (const [name, count] of [
    ['small', 1 << 14],
    ['large', 1 << 20],
  ] as const) {
    const win = await comm.allocWindow(f32, count);
    if (win === null) throw new Error('there is symmetric memory');
    const run = async (): Promise<void> => {
      await comm.launch(allReduce, { grid: 16, block: 512 }, { comm: dev, win, count });
      await comm.synchronize();
    };
    // Each thread warms up its own code.
    await measured([], 50, run);
    await measured(own[name], 50, run);
  }
});
const each = (medianOf(times.barriers) / ROUNDS) * 1000;
process.stdout.write(
  `${ranks} ranks, ${workers} threads: a barrier ${each.toFixed(1)} us; ` +
    `an all-reduce of 16 Ki f32 ${medianOf(times.small).toFixed(2)} ms, of 1 Mi f32 ${medianOf(times.large).toFixed(2)} ms\n`,
);
