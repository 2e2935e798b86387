import { traceOfProfile } from '@nccl-ts/cost-model';
import type { Communicator } from '@nccl-ts/communicator';
import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { ctaFence, ctaSync, fenceChain, flagTrip, loadChain, releaseTrip } from '../../src/kernels/latency-kernels.ts';
import { HEAD_WORDS } from '../../src/micro-runner.ts';
import { launchTime, type MicroHandles } from './launch-time.ts';

/*
 * A machine on the simulator takes about as long for the micro-benchmarks as the GPUs from which
 * its costs come.
 */

type Launch = (comm: Communicator, handles: MicroHandles, iters: number) => Promise<void>;

interface Measured {
  readonly micro: readonly {
    readonly name: string;
    readonly ctas: number;
    readonly threads: number;
    readonly value: number;
  }[];
}

function profileOf(name: string): Measured {
  const profile: Measured = JSON.parse(
    readFileSync(new URL(`../../../../profiles/${name}.json`, import.meta.url), 'utf8'),
  );
  return profile;
}

/** Nanoseconds of a turn. */
async function turnOf(profile: Measured, launch: Launch): Promise<number> {
  const machine = traceOfProfile(profile);
  const timeOf = async (iters: number): Promise<number> =>
    launchTime(machine, async (comm, handles) => launch(comm, handles, iters));
  return ((await timeOf(30)) - (await timeOf(10))) / 20;
}

/** The kernels of micro-benchmarks, with the trips of a turn. */
const benchmarks: readonly (readonly [name: string, threads: number, trips: number, launch: Launch])[] = [
  ...([32, 512] as const).map((block): readonly [string, number, number, Launch] => [
    'release-trip',
    block,
    2,
    async (comm, handles, iters) => comm.launch(releaseTrip, { grid: 1, block }, { ...handles, iters, base: 0 }),
  ]),
  [
    'flag-trip',
    1,
    2,
    async (comm, handles, iters) => comm.launch(flagTrip, { grid: 1, block: 32 }, { ...handles, iters, base: 0 }),
  ],
  [
    'fence',
    1,
    1,
    async (comm, handles, iters) => comm.launch(fenceChain, { grid: 1, block: 32 }, { ...handles, iters }),
  ],
  [
    'fence-of-cta',
    512,
    1,
    async (comm, handles, iters) => comm.launch(ctaFence, { grid: 1, block: 512 }, { ...handles, iters }),
  ],
  [
    'cta-sync',
    512,
    1,
    async (comm, handles, iters) => comm.launch(ctaSync, { grid: 1, block: 512 }, { ...handles, iters }),
  ],
  [
    'load-chain-own-cached',
    1,
    1,
    async (comm, handles, iters) =>
      comm.launch(loadChain, { grid: 1, block: 32 }, { ...handles, iters, peer: 0, first: HEAD_WORDS }),
  ],
];

// The quick tests have two of them, on one machine.
describe.each(['h100-nvlink4', 'h200-nvlink4'].filter((name) => name === 'h200-nvlink4' || inject('slow')))(
  'on %s',
  (name) => {
    const profile = profileOf(name);

    test.each(benchmarks.filter(([micro]) => ['flag-trip', 'fence'].includes(micro) || inject('slow')))(
      '%s of %i threads takes what it took there, within 10 %%',
      async (micro, threads, trips, launch) => {
        const found = profile.micro.find((one) => one.name === micro && one.ctas === 1 && one.threads === threads);
        if (found === undefined) throw new RangeError(`The profile has no ${micro}.`);
        const factor = (await turnOf(profile, launch)) / trips / found.value;
        expect(factor).toBeGreaterThan(0.9);
        expect(factor).toBeLessThan(1.1);
      },
    );
  },
);
