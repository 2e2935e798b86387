import type { Algorithm } from '@nccl-ts/collectives';
import { benchOps, type BenchOp } from './bench-op.ts';
import { allToAllv, benchProgramOf, benchPrograms, type BenchProgram } from './bench-program.ts';
import { benchTypeOf, benchTypes, type BenchType } from './bench-type.ts';
import type { BenchBackendName } from './bench-backend.ts';
import { algorithmsFor } from './collectives-contender.ts';
import { chartFormatOf, type ChartFormat } from './chart-format.ts';
import type { NcclContenderName } from './nccl-contender.ts';
import type { Average } from './measure/time-iterations.ts';
import type { BenchConfig, Blocking } from './report/bench-report.ts';
import { UsageError } from './usage-error.ts';

/**
 * The command line's options, parsed but not yet checked against each other. Most names are those
 * of nccl-tests.
 */
export interface RawOptions {
  readonly backend: BenchBackendName;
  readonly ranks?: number;
  readonly lsaSize?: number;
  readonly engine?: 'js' | 'wasm';
  readonly workers?: number;
  readonly algorithm?: Algorithm;
  readonly beside: readonly NcclContenderName[];
  readonly json?: true;
  readonly plot?: string;
  readonly nthreads: number;
  readonly ngpus?: number;
  readonly minbytes: number;
  readonly maxbytes: number;
  readonly stepbytes: number;
  readonly stepfactor: number;
  readonly iters: number;
  readonly agg_iters: number;
  readonly warmup_iters: number;
  readonly run_cycles: number;
  readonly parallel_init: 0 | 1;
  readonly check: number;
  readonly op: string;
  readonly datatype: string;
  readonly root: number;
  readonly blocking: Blocking;
  readonly stream_null: 0 | 1;
  readonly timeout: number;
  readonly cudagraph: number;
  readonly report_cputime: 0 | 1;
  readonly report_timestamps: 0 | 1;
  readonly output_file?: string;
  readonly average: Average;
  readonly local_register?: 0 | 1 | 2;
  readonly cta_policy?: 0 | 1 | 2;
  readonly device_implementation: number;
  readonly device_cta_count?: number;
  readonly memory: 0 | 1;
  readonly unalign: number;
  readonly per_iter_timing: 0 | 1;
  readonly per_iter_skip: number;
}

/** A run, with all options resolved except the number of GPUs. */
export interface BenchOptions {
  readonly program: BenchProgram;
  readonly backend: BenchBackendName;
  /** If `undefined`, as many as the backend has. */
  readonly ranks: number | undefined;
  readonly lsaSize: number | undefined;
  /** An option of the simulator. */
  readonly engine: 'js' | 'wasm' | undefined;
  readonly workers: number | undefined;
  /** The first GPU that CUDA is to use. */
  readonly firstDevice: number | undefined;
  /** The required average bus bandwidth in GB/s. 90 % of it still passes. */
  readonly minBusBw: number | undefined;
  readonly algorithm: Algorithm | undefined;
  /** The other contenders measured, size by size. */
  readonly beside: readonly NcclContenderName[];
  readonly types: readonly BenchType[];
  /** Empty if the program does not reduce. */
  readonly ops: readonly BenchOp[];
  /** The root, or -1 for each rank in turn. */
  readonly root: number;
  readonly average: Average;
  /** The limit in seconds, or 0 for no limit. */
  readonly timeout: number;
  /** The number of runs, or 0 for no end. */
  readonly runCycles: number;
  /** All fields except `nGpus`, which the world reports. */
  readonly config: Omit<BenchConfig, 'nGpus'>;
  readonly jsonFile: string | undefined;
  readonly jsonOnStdout: boolean;
  readonly plot: { readonly file: string; readonly format: ChartFormat } | undefined;
  /** Options that the command line accepts without an effect, each with its reason. */
  readonly notes: readonly string[];
}

/** The environment variables. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** @throws UsageError if the command line or the environment asks for something impossible. */
export function benchOptions(programName: string, raw: RawOptions, env: EnvironmentVariables): BenchOptions {
  const named = benchProgramOf(programName);
  if (named === undefined) {
    throw new UsageError(
      `there is no program ${programName}; there is ${benchPrograms.map(({ name }) => name).join(', ')}`,
    );
  }
  const program = named.collective === 'allToAllv' ? allToAllv(spreadOf(env)) : named;
  checkTogether(raw);
  const ranks = ranksOf(raw);
  return {
    program,
    backend: raw.backend,
    ranks,
    lsaSize: lsaSizeOf(raw, ranks),
    ...simulatorOf(raw),
    firstDevice: fromEnvironment(env, 'NCCL_TESTS_DEVICE', /^\d+$/, 'the number of a GPU'),
    minBusBw: fromEnvironment(env, 'NCCL_TESTS_MIN_BW', /^\d+(\.\d+)?$/, 'a number of GB/s'),
    algorithm: algorithmOf(program, raw),
    beside: besideOf(raw),
    types: typesOf(raw.datatype),
    ops: program.redop === 'asked' ? opsOf(raw.op) : [],
    root: rootOf(program, raw, ranks),
    average: raw.average,
    timeout: raw.timeout,
    runCycles: raw.run_cycles,
    config: {
      program: `${program.name}_perf`,
      nThreads: 1,
      minBytes: raw.minbytes,
      maxBytes: raw.maxbytes,
      step: raw.stepfactor > 1 ? { kind: 'factor', value: raw.stepfactor } : { kind: 'bytes', value: raw.stepbytes },
      warmupIters: raw.warmup_iters,
      iters: raw.iters,
      aggIters: raw.agg_iters,
      check: raw.check,
      graphLaunches: raw.cudagraph,
      unalign: raw.unalign,
      blocking: raw.blocking,
      perIterTiming: raw.per_iter_timing === 1,
      perIterSkip: raw.per_iter_skip,
      parallelInit: false,
      reportCputime: raw.report_cputime === 1,
      reportTimestamps: raw.report_timestamps === 1,
    },
    jsonFile: jsonFileOf(raw),
    jsonOnStdout: raw.json === true,
    plot: plotOf(raw),
    notes: notesOn(program, raw),
  };
}

function checkTogether(raw: RawOptions): void {
  if (raw.minbytes > raw.maxbytes) {
    throw new UsageError(`-b ${raw.minbytes} is more than -e ${raw.maxbytes}; without -b or -e they are 32M`);
  }
  if (raw.stepfactor > 1 && raw.minbytes === 0 && raw.maxbytes > 0) {
    throw new UsageError(`-f ${raw.stepfactor} with -b 0: no factor leads from 0 to ${raw.maxbytes} bytes`);
  }
  if (raw.stepfactor <= 1 && raw.stepbytes === 0 && raw.minbytes < raw.maxbytes) {
    throw new UsageError('-i 0: the step must be 1 byte or more');
  }
  if (raw.device_implementation > 0 && raw.local_register !== 2) {
    throw new UsageError('-D above 0 needs symmetric memory: -R 2');
  }
  if (raw.cudagraph > 0 && raw.per_iter_timing === 1) {
    throw new UsageError('-I 1 with -G: a graph has no times of single iterations');
  }
  if (raw.cudagraph > 0 && raw.blocking !== 0) {
    throw new UsageError(`-z ${raw.blocking} with -G: a wait is impossible while a graph is recorded`);
  }
  if (raw.per_iter_skip > 0 && raw.per_iter_timing === 0) throw new UsageError('-K needs -I 1');
  if (raw.per_iter_skip >= raw.iters) {
    throw new UsageError(`-K ${raw.per_iter_skip} must be less than the iterations, -n ${raw.iters}`);
  }
}

/** nccl-tests has -g GPUs for each of -t threads. Here one thread has all ranks. */
function ranksOf({ ranks, ngpus, nthreads }: RawOptions): number | undefined {
  const requested = ngpus === undefined && nthreads === 1 ? undefined : (ngpus ?? 1) * nthreads;
  if (ranks !== undefined && requested !== undefined && ranks !== requested) {
    throw new UsageError(`--ranks ${ranks}, but -t and -g ask for ${requested} ranks`);
  }
  return ranks ?? requested;
}

function lsaSizeOf({ backend, lsaSize }: RawOptions, ranks: number | undefined): number | undefined {
  if (lsaSize === undefined) return undefined;
  if (backend === 'cuda') throw new UsageError('--lsa-size is for sim and webgpu; GPUs are as they are connected');
  if (ranks === undefined || ranks % lsaSize !== 0) {
    throw new UsageError(`--lsa-size ${lsaSize}: it must divide the number of ranks, ${ranks ?? 'which is not given'}`);
  }
  return lsaSize;
}

function simulatorOf({ backend, engine, workers }: RawOptions): Pick<BenchOptions, 'engine' | 'workers'> {
  if (backend !== 'sim' && (engine ?? workers) !== undefined) {
    throw new UsageError(`--engine and --workers are for sim; the backend is ${backend}`);
  }
  if (engine === 'js' && workers !== undefined && workers > 1) {
    throw new UsageError(`--workers ${workers}: with --engine js there is one thread`);
  }
  return { engine, workers };
}

/** -D n selects the n-th algorithm of the collective. 0 uses the default selection. */
function algorithmOf(program: BenchProgram, raw: RawOptions): Algorithm | undefined {
  const offered = algorithmsFor(program.collective);
  const { device_implementation: number, algorithm } = raw;
  if (algorithm !== undefined) {
    if (number > 0) throw new UsageError('-D and --algorithm say the same; give one of them');
    if (offered.includes(algorithm)) return algorithm;
    throw new UsageError(`${program.name} has no algorithm ${algorithm}; it has ${offered.join(', ') || 'none'}`);
  }
  if (number === 0) return undefined;
  const chosen = offered[number - 1];
  if (chosen !== undefined) return chosen;
  const listed = offered.map((name, i) => `${i + 1} (${name})`).join(', ');
  throw new UsageError(`${program.name} has no device implementation -D ${number}; it has ${listed || 'none'}`);
}

function besideOf({ backend, beside }: RawOptions): readonly NcclContenderName[] {
  if (beside.length > 0 && backend !== 'cuda') throw new UsageError('--beside is for cuda: NCCL needs NVIDIA GPUs');
  return [...new Set(beside)];
}

function typesOf(name: string): readonly BenchType[] {
  if (name === 'all') return benchTypes;
  const type = benchTypeOf(name);
  if (type !== undefined) return [type];
  throw new UsageError(`-d ${name} is no type; there is ${benchTypes.map((known) => known.name).join(', ')}, all`);
}

function opsOf(name: string): readonly BenchOp[] {
  if (name === 'all') return benchOps;
  const op = benchOps.find((known) => known === name);
  if (op !== undefined) return [op];
  throw new UsageError(`-o ${name} is no operator; there is ${benchOps.join(', ')}, all`);
}

function rootOf({ rooted }: BenchProgram, { root }: RawOptions, ranks: number | undefined): number {
  if (rooted && ranks !== undefined && root >= ranks) {
    throw new UsageError(`-r ${root}: the root must be a rank, from 0 to ${ranks - 1}, or -1 for each in turn`);
  }
  return root;
}

function fromEnvironment(env: EnvironmentVariables, name: string, form: RegExp, what: string): number | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  if (form.test(text)) return Number(text);
  throw new UsageError(`${name}=${text}: it must be ${what}`);
}

/** The growth of the data sent to more distant ranks. */
function spreadOf(env: EnvironmentVariables): number {
  if (env['NCCL_TESTS_ALLTOALLV_MATRIX_FILE'] !== undefined) {
    throw new UsageError(
      'NCCL_TESTS_ALLTOALLV_MATRIX_FILE: there are no matrices here; NCCL_TESTS_ALLTOALLV_SPREAD shapes what is sent',
    );
  }
  return fromEnvironment(env, 'NCCL_TESTS_ALLTOALLV_SPREAD', /^(0(\.\d+)?|1(\.0+)?)$/, 'a number from 0 to 1') ?? 1;
}

function jsonFileOf({ output_file: file }: RawOptions): string | undefined {
  if (file === undefined || /\.json$/i.test(file)) return file;
  throw new UsageError(`-J ${file}: the name must end with .json`);
}

function plotOf({ plot }: RawOptions): BenchOptions['plot'] {
  if (plot === undefined) return undefined;
  const format = chartFormatOf(plot);
  if (format === undefined) throw new UsageError(`--plot ${plot}: the name must end with .svg or .png`);
  return { file: plot, format };
}

/** Notes on options that are ignored here. */
function notesOn(program: BenchProgram, raw: RawOptions): readonly string[] {
  const reported = (requested: boolean, note: string): readonly string[] => (requested ? [note] : []);
  return [
    ...reported(raw.nthreads > 1, `-t ${raw.nthreads}: one thread drives all ranks; their number is -t times -g`),
    ...reported(raw.parallel_init === 1, '-p: no threads are initialised in parallel'),
    ...reported(raw.stream_null === 1, "-y: there is no null stream; launches are on each rank's default stream"),
    ...reported(
      raw.local_register !== undefined && raw.local_register < 2,
      `-R ${raw.local_register}: buffers are symmetric windows anyway`,
    ),
    ...reported(raw.cta_policy !== undefined, "-x: the collectives' selection rules choose the CTAs"),
    ...reported(raw.device_cta_count !== undefined, "-V: the collectives' selection rules choose the CTAs"),
    ...reported(raw.memory === 1, '-M: the free memory of a GPU is unknown here'),
    ...reported(!program.reduces && raw.op !== 'sum', `-o: ${program.name} does not reduce`),
    ...reported(!program.rooted && raw.root > 0, `-r: ${program.name} has no root`),
  ];
}
