import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { NcclError } from '@nccl-ts/core';
import { UsageError } from '#bench/nccl-tests/usage-error';
import { provenance } from '#bench/provenance';
import { gate } from './calibration.ts';
import { barOfRanks, barsWith } from './goals.ts';
import { judge } from './judge.ts';
import { lastCacheBytes } from './last-cache.ts';
import { measure } from './measure.ts';
import { calibrationOf } from './native-output.ts';
import { compile, type NativeProgram, type ProgramName } from './native-programs.ts';
import { peersOptions, usage, type PeersOptions } from './options.ts';
import { ownContender } from './own.ts';
import { planOf } from './plan.ts';
import { endAll, run, type Running } from './processes.ts';
import { cellLines, exitCode, gateLine, reportLines } from './report.ts';
import { runner } from './runner.ts';
import { samples } from './samples.ts';

/** The duration of a calibration in milliseconds. */
const CALIBRATION_MS = 150;
/** The pause before the next calibration, on a busy machine. */
const PAUSE_MS = 500;

/** Measures, prints, writes; the result is the exit code. */
async function comparison(options: PeersOptions, directory: string, running: Running): Promise<number> {
  const { rows, ranks, rounds, sizes, ungated, minutes } = options;
  const chosen = barsWith(lastCacheBytes() ?? 0)
    .filter(({ row }) => rows.includes(row))
    .flatMap((bar) => (ranks === undefined ? bar : (barOfRanks(bar, ranks) ?? [])));
  if (chosen.length === 0)
    throw new UsageError(
      `--ranks ${ranks?.join(',')}: no benchmark in rows ${rows.join(',')} has this number of ranks`,
    );
  const groups = planOf(chosen, sizes);
  const needed = new Set<ProgramName>(['calibrate']);
  for (const { setting } of groups.flatMap(({ units }) => units.flatMap(({ turns }) => turns)))
    if (setting !== undefined) needed.add(setting.program);
  const programs = new Map<ProgramName, NativeProgram>();
  for (const name of needed) programs.set(name, await compile(name, directory));
  const calibrate = programs.get('calibrate');
  if (calibrate === undefined || 'missing' in calibrate) {
    for (const row of rows) console.log(`row ${row}: not measured: ${calibrate?.missing ?? 'no calibration'}`);
    return 2;
  }
  const quiet = gate(
    async () => {
      const ended = await run([calibrate.path, String(CALIBRATION_MS)]);
      if (!ended.ok) throw new NcclError('NCCL_SYSTEM_ERROR', `calibrate: ${ended.problem}`);
      const seen = calibrationOf(ended.stdout);
      // If no round counts, a longer signal time of a busy machine does not mean that the cores
      // moved.
      return ungated ? { ...seen, signalNs: 0 } : seen;
    },
    { ...(ungated ? { quietEnough: () => true } : {}), pause: async () => setTimeout(PAUSE_MS) },
  );
  const end = performance.now() + minutes * 60_000;
  const own = await ownContender();
  try {
    const machine = `Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown CPU'}`;
    console.log(`${machine}; ours: ${own.name}`);
    const widths = new Map<string, number>();
    const into = samples();
    const turns = runner({
      own,
      programs,
      scratch: directory,
      running,
      onVectorBits: (contender, bits) => widths.set(contender, bits),
    });
    const problems = await measure(groups, turns, quiet, into, {
      rounds,
      progress: (text) => console.error(text),
      over: () => performance.now() > end,
    });
    const verdicts = chosen.map((bar) =>
      judge(bar, sizes, rounds, into, (contender, what) => problems.get(contender) ?? turns.missing(contender, what)),
    );
    const width = widths.get('vector');
    if (width !== undefined && width < 512) console.log(`no AVX-512 here: "vector" is ${width} bits wide`);
    if (options.cells) for (const line of cellLines(verdicts)) console.log(line);
    for (const line of reportLines(verdicts)) console.log(line);
    console.log(gateLine(quiet.counts()));
    if (options.json !== undefined) {
      const report = {
        ...provenance(),
        machine,
        own: own.name,
        rounds,
        sizes,
        vectorBits: width,
        units: quiet.counts(),
        verdicts,
      };
      await writeFile(options.json, JSON.stringify({ ...report, samples: into.all() }, undefined, 1));
    }
    if (!ungated) return exitCode(verdicts);
    console.log('ungated: these results do not count');
    return 2;
  } finally {
    await own.close();
  }
}

async function main(): Promise<number> {
  const options = peersOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const directory = await mkdtemp(join(tmpdir(), 'cpu-collectives-'));
  const running: Running = { groups: new Set() };
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(name, () => {
      endAll(running);
      rmSync(directory, { recursive: true, force: true });
      process.exit(code);
    });
  try {
    return await comparison(options, directory, running);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
