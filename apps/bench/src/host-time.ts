import { sim } from '@nccl-ts/backend-sim';
import { allReduce, group } from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { medianOf, RedOp } from '@nccl-ts/core';
import type { Backend } from '@nccl-ts/transport';
import { parseArgs } from 'node:util';
import { interleave, type TimedContender } from './interleave.ts';
import { smallKernel } from './kernels/small-kernel.ts';
import { machineText, writeResults } from './write-results.ts';

/*
 * Measures the cost of an operation for the host, without the backend's work:
 *
 *     node apps/bench/dist/host-time.js
 *
 * Microseconds for each of four ranks of one process: the first 100 calls, and medians of 15 rounds
 * of 2000 after the engines have optimized the code. One operation follows the other, in turn for
 * all ranks. `--json FILE` keeps them.
 */

const RANKS = 4;
const FIRST = 100;
const CALLS = 2000;
const ROUNDS = 15;
const COUNT = 256;
const TOGETHER = 4;

/** The simulator's memory, and launches that do nothing. */
function idle(): Backend {
  const backend = sim({ ranks: RANKS });
  return {
    ...backend,
    open: async (options) => Object.assign(await backend.open(options), { launch: () => undefined }),
  };
}

interface CommBuffers {
  readonly comm: Communicator;
  readonly send: Window<'f32'>;
  readonly recv: Window<'f32'>;
}

const operations: Readonly<Record<string, (at: CommBuffers) => Promise<void>>> = {
  'launch of a small kernel': async ({ comm }) => comm.launch(smallKernel, { grid: 1, block: 32 }, { n: 32, x: 1 }),
  allReduce: async ({ comm, send, recv }) => allReduce(comm, send, recv, COUNT, RedOp.Sum),
  'group of four such launches': async ({ comm, send, recv }) =>
    group(comm, async () => {
      for (let i = 0; i < TOGETHER; i++) {
        const at = 4 * i * COUNT;
        await allReduce(comm, send.symPtr(at), recv.symPtr(at), COUNT, RedOp.Sum);
      }
    }),
};

const { values: options } = parseArgs({ options: { json: { type: 'string' } } });

async function main(): Promise<void> {
  const machine = machineText();
  await using world = await World.open({ backend: idle() });
  const perRank = await world.run(async (comm): Promise<CommBuffers> => {
    const elements = TOGETHER * COUNT;
    return { comm, send: await comm.allocWindow('f32', elements), recv: await comm.allocWindow('f32', elements) };
  });
  const repeated = async (operation: (at: CommBuffers) => Promise<void>, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) for (const buffers of perRank) await operation(buffers);
  };
  const first: string[] = [];
  const contenders: TimedContender[] = [];
  for (const [name, operation] of Object.entries(operations)) {
    // The first call compiles kernels and creates all resources.
    await Promise.all(perRank.map(operation));
    const began = performance.now();
    await repeated(operation, FIRST);
    first.push((((performance.now() - began) * 1000) / FIRST / RANKS).toFixed(1));
    contenders.push({ name, run: async () => repeated(operation, CALLS) });
  }
  const samples = await interleave(contenders, ROUNDS, 3);
  const rows: unknown[] = [];
  for (const [i, sample] of samples.entries()) {
    const each = (ms: number): string => ((ms * 1000) / CALLS / RANKS).toFixed(2);
    const spread = `${each(sample.ms[0] ?? 0)} to ${each(sample.ms.at(-1) ?? 0)}`;
    rows.push({ operation: sample.name, first: first[i], then: each(medianOf(sample.ms)), spread });
    console.log(`${sample.name.padEnd(26)} first ${first[i]} us, then ${each(medianOf(sample.ms))} us (${spread})`);
  }
  if (options.json !== undefined) writeResults(options.json, machine, { rows });
}

await main();
