import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { microBenchmarks, profileParameters } from '@nccl-ts/machine-profile';
import { expect, test } from 'vitest';

test('every micro-benchmark runs to its end on the simulator, and a profile has every parameter', async () => {
  const names = new Set<string>();
  const open = async (ranks: number): Promise<World> => World.open({ backend: sim({ ranks }) });
  const results = await microBenchmarks(open, 4, {
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
      "launch-and-flags",
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
  expect(Object.keys(profileParameters(results))).toHaveLength(30);
}, 60_000);
