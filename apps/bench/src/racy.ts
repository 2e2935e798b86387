import { medianOf } from '@nccl-ts/core';
import { check } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32, u32 } from '@nccl-ts/kernel';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { provenance } from './provenance.ts';
import { allReduceKernel } from './kernels/all-reduce-kernel.ts';
import {
  racyAllReduceKernel,
  sharedHistogramKernel,
  storedHistogramKernel,
  windowHistogramKernel,
} from './kernels/racy-kernels.ts';

/** 16 MiB on each rank. */
const WORDS = 1 << 22;
const CTAS = 64;
/** The updates of a histogram: 1024 by each of 32 threads. */
const VALUES = 32 * 1024;

/** A program that is checked in one run, with the expected verdict. */
interface TimedProgram {
  readonly name: string;
  readonly ranks: number;
  readonly verdict: 'clean' | 'race';
  /** The most seconds. */
  readonly bar: number;
  readonly run: (backend: SimBackend) => Promise<void>;
}

/** The result of a check in a separate process, so that its memory can be measured. */
interface CheckCost {
  readonly program: string;
  readonly verdict: string;
  readonly seconds: number;
  /** The peak resident memory. */
  readonly mebibytes: number;
  readonly accesses: number;
  /** The number of sightings of each finding. */
  readonly seen: readonly number[];
}

const programs: readonly TimedProgram[] = [
  allReduce('clean AllReduce, 8 x 64 x 1024, 16 MiB', allReduceKernel, 'clean'),
  allReduce('racy AllReduce, 8 x 64 x 1024, 16 MiB', racyAllReduceKernel, 'race'),
  histogram('racy histogram in a window, 4 x 32 x 1024', windowHistogramKernel),
  histogram('racy histogram in shared memory, 4 x 32 x 1024', sharedHistogramKernel),
  histogram('racy histogram with ordered stores, 4 x 32 x 1024', storedHistogramKernel),
];

function allReduce(name: string, kernel: typeof allReduceKernel, verdict: TimedProgram['verdict']): TimedProgram {
  const run = async (backend: SimBackend): Promise<void> => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow(f32, WORDS);
      await win.write(new Float32Array(WORDS).fill(comm.rank));
      const args = { comm: await comm.createDevComm({ lsaBarrierCount: CTAS }), win, offset: 0, count: WORDS };
      await comm.launch(kernel, { grid: CTAS, block: 1024 }, args);
      await win.read();
    });
  };
  return { name, ranks: 8, verdict, bar: 30, run };
}

function histogram(name: string, kernel: typeof windowHistogramKernel): TimedProgram {
  const run = async (backend: SimBackend): Promise<void> => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const [values, bins] = [await comm.allocWindow(u32, VALUES), await comm.allocWindow(u32, 16)];
      await values.write(Uint32Array.from({ length: VALUES }, (_, i) => Math.imul(i, 2654435761) >>> 16));
      await bins.write(new Uint32Array(16));
      const args = { values: values.symPtr(), bins: bins.symPtr(), count: VALUES };
      await comm.launch(kernel, { grid: 1, block: 32 }, args);
      await bins.read();
    });
  };
  return { name, ranks: 4, verdict: 'race', bar: 5, run };
}

async function measure({ name, ranks, run }: TimedProgram): Promise<CheckCost> {
  const began = performance.now();
  const { verdict, accesses, seen } = await check({ ranks, seed: 1, strategy: 'exhaustive', bound: 0 }, run);
  const seconds = (performance.now() - began) / 1000;
  const mebibytes = process.resourceUsage().maxRSS / 1024;
  return { program: name, verdict, seconds, mebibytes, accesses, seen };
}

/**
 * Measures the programs alternately, `rounds` times each. The exit code is 0 if all verdicts are
 * right and all medians are within their bars.
 */
function measureAll(rounds: number): readonly (readonly CheckCost[])[] {
  const rows = programs.map((): CheckCost[] => []);
  for (let round = 0; round < rounds; round++) {
    programs.forEach((_, i) => {
      const text = execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--program', String(i)]);
      rows[i]?.push(rowOf(JSON.parse(text.toString())));
    });
  }
  return rows;
}

/** A row as the process that measured it has printed it. */
function rowOf(printed: unknown): CheckCost {
  if (!isRow(printed)) throw new Error(`${JSON.stringify(printed)} is no row`);
  return printed;
}

function isRow(value: unknown): value is CheckCost {
  return typeof value === 'object' && value !== null && 'program' in value && 'seconds' in value && 'seen' in value;
}

/**
 * Prints a table of racy programs and a clean one, and writes the figures to a file if you name
 * one.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { program: { type: 'string' }, rounds: { type: 'string', default: '3' }, json: { type: 'string' } },
  });
  const one = values.program === undefined ? undefined : programs[Number(values.program)];
  if (one !== undefined) {
    console.log(JSON.stringify(await measure(one)));
    return;
  }
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown CPU'}`;
  console.log(machine);
  const rows = measureAll(Number(values.rounds)).map((samples, i) => {
    const { bar = Number.NaN, verdict = 'clean' } = programs[i] ?? {};
    const [first] = samples;
    const seconds = samples.map((sample) => sample.seconds);
    const median = medianOf(seconds);
    const mebibytes = Math.max(...samples.map((sample) => sample.mebibytes));
    if (!samples.every((sample) => sample.verdict === verdict) || !(median <= bar)) process.exitCode = 1;
    console.log(
      `  ${first?.program}: ${first?.verdict} in ${median.toFixed(2)} s (bar: ${bar}), ${mebibytes.toFixed(0)} MiB`,
    );
    return { ...first, seconds: { median, all: seconds }, mebibytes, bar };
  });
  if (values.json === undefined) return;
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, `${JSON.stringify({ ...provenance(), machine, rows }, null, 2)}\n`);
}

await main();
