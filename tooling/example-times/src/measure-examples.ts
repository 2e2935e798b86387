import { finish, option, phase, provenance, report } from '@nccl-ts/bench/measuring';
import { medianOf } from '@nccl-ts/core';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cuda, probe } from '@nccl-ts/backend-cuda';
import { World, type Graph } from '@nccl-ts/communicator';
import { EXAMPLE_CALLS } from './example-calls.ts';
import { repeatedLaunches } from './repeated-launches.ts';

/*
 * Measures the kernels of the examples that need neither multicast nor a network, in CUDA graphs on
 * all ranks:
 *
 *     bash apps/bench/gpu-machine/pack.sh tooling/example-times/src/measure-examples.ts
 *     bash .gpu/run.sh measure-examples [--gpus 2] [--rounds 9]
 *
 * Lines of JSON; all in $OUT/examples.json, which predict-examples.ts reads.
 */

const gpus = Number(option('--gpus', '2'));
const rounds = Number(option('--rounds', '9'));
const MILLISECONDS = 20;

const machine = await probe();
const rows: object[] = [];
for (const { name, prepare } of repeatedLaunches) {
  await phase(name, async () => {
    await using world = await World.open({ backend: cuda({ devices: Array.from({ length: gpus }, (_, i) => i) }) });
    const made = await world.run(prepare);
    const callOf = (rank: number): ((nth: number) => Promise<void>) => {
      const call = made[rank];
      if (call === undefined) throw new RangeError(`There is no rank ${rank}.`);
      return call;
    };
    const synchronize = async (): Promise<void> => {
      await Promise.all(world.localRanks.map(async (rank) => world.comm(rank).synchronize()));
    };
    const graph = await world.capture(async (comm) => {
      for (let nth = 0; nth < EXAMPLE_CALLS; nth++) await callOf(comm.rank)(nth);
    });
    const timed = async (of: Graph, launches: number): Promise<number> => {
      await synchronize();
      const began = performance.now();
      for (let launch = 0; launch < launches; launch++) await of.launch();
      await synchronize();
      return performance.now() - began;
    };
    await timed(graph, 2);
    const launches = Math.max(1, Math.min(200, Math.ceil(MILLISECONDS / ((await timed(graph, 4)) / 4))));
    const times: number[] = [];
    for (let nth = 0; nth < rounds; nth++)
      times.push(Number(((1000 * (await timed(graph, launches))) / launches / EXAMPLE_CALLS).toFixed(3)));
    await graph.close();
    rows.push({ example: name, gpus, times });
    report({ example: name, us: medianOf(times), least: Math.min(...times), most: Math.max(...times) });
  });
}
writeFileSync(
  join(process.env['OUT'] ?? '.', 'examples.json'),
  JSON.stringify({ ...provenance(), gpus, rounds, calls: EXAMPLE_CALLS, machine, rows }, undefined, 1),
);
finish();
