import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { expect, test } from 'vitest';
import { JsonValue } from '../src/figures/json-value.ts';
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
  expect(Object.keys(profileParameters(results))).toHaveLength(26);
}, 60_000);

test('the launch of a graph is that of a kernel that sends a flag, without its trip and its load', () => {
  const file: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../profiles/h100-nvlink4.json'), 'utf8'),
  );
  const profile = new JsonValue(file, 'the profile');
  const micro = microOf(file, 'the profile');
  const parameters = profileParameters(micro);
  expect(parameters['launch.graph']?.value).toBe(681.5);
  expect(parameters['launch.graphEmpty']?.value).toBe(373.3);
  expect(profile.at('parameters').value).toEqual(parameters);
});
