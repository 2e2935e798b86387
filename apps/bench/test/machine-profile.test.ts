import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sim, type SimWorld } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { createTimelineRecorder } from '@nccl-ts/timeline';
import { defineBackend } from '@nccl-ts/transport';
import { expect, test } from 'vitest';
import { JsonValue } from '../src/figures/json-value.ts';
import { straightCode } from '../src/kernels/issue-kernels.ts';
import { profileParameters } from '../src/machine-profile/build-profile.ts';
import { microOf } from '../src/machine-profile/micro-of.ts';
import { microBenchmarks } from '../src/machine-profile/micro-benchmarks.ts';

test('every micro-benchmark runs to its end on the simulator, and a profile has every parameter', async () => {
  const names = new Set<string>();
  await using world = await World.open({ backend: sim({ ranks: 2 }) });
  const results = await microBenchmarks(world, {
    bytes: 1 << 20,
    rounds: 1,
    turns: 2,
    ctas: [1, 16],
    threads: 64,
    bytesPerCta: 4096,
    graph: 1,
    launches: 1,
    report: ({ name }) => names.add(name),
  });
  expect(results.every(({ value }) => Number.isFinite(value))).toBe(true);
  expect([...names].toSorted()).toMatchInlineSnapshot(`
    [
      "atomic-chain-own",
      "atomic-chain-peer",
      "both-own",
      "both-peer",
      "copy-own",
      "copy-peer",
      "cta-sync",
      "fan-in-peer",
      "fan-out-peer",
      "fence",
      "fence-of-cta",
      "flag-trip",
      "graph-gap",
      "issue",
      "launch-and-flag",
      "launch-and-load",
      "launch-and-store-own",
      "launch-and-store-peer",
      "launch-in-graph",
      "load-chain-own-cached",
      "load-chain-peer-cached",
      "load-one-way",
      "load-own",
      "load-peer",
      "release-trip",
      "store-one-way",
      "store-own",
      "store-peer",
      "word-trip",
    ]
  `);
  expect(Object.keys(profileParameters(results))).toHaveLength(27);
}, 60_000);

test('straight code takes the time of its instructions, and the model counts those of the micro-benchmark', async () => {
  const issueTime = 10;
  const traced = sim({ ranks: 1, trace: { issueTime } });
  let opened: SimWorld | undefined;
  const backend = defineBackend({ ...traced, open: async (options) => (opened = await traced.open(options)) });
  await using world = await World.open({ backend });
  const ends: number[] = [];
  await world.run(async (comm) => {
    const win = await comm.allocWindow('u32', 8192);
    const args = { comm: await comm.createDevComm({}), win, zero: 0 };
    // The first launch of each finds nothing in the cache.
    for (const pairs of [32, 160, 32, 160]) {
      await comm.launch(straightCode(pairs), { grid: 1, block: 32 }, args);
      await comm.synchronize();
      ends.push(opened?.timeline(createTimelineRecorder()).end ?? Number.NaN);
    }
  });
  const [, cold = 0, short = 0, long = 0] = ends;
  expect(long - short - (short - cold)).toBeCloseTo(2 * (160 - 32) * issueTime);
});

test('the launch of a graph is that of a kernel that sends a flag, without its trip and its load', () => {
  const file: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../profiles/h100-nvlink4.json'), 'utf8'),
  );
  const profile = new JsonValue(file, 'the profile');
  const micro = microOf(file, 'the profile');
  const parameters = profileParameters(micro);
  expect(parameters['launch.graph']?.value).toBe(330);
  expect(parameters['launch.graphEmpty']?.value).toBe(562.3);
  expect(profile.at('parameters').value).toEqual(parameters);
});
