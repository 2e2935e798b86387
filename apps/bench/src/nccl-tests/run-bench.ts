import { World } from '@nccl-ts/communicator';
import type { BenchOp } from './bench-op.ts';
import type { BenchOptions } from './bench-options.ts';
import type { BenchType } from './bench-type.ts';
import type { BenchBackend } from './bench-backend.ts';
import type { Contender } from './contender.ts';
import { allocBuffers } from './measure/bench-buffers.ts';
import {
  benchTime,
  completeCalls,
  sizedCall,
  startCall,
  type BenchBed,
  type Combination,
  type SizedCall,
} from './measure/bench-time.ts';
import {
  timestampOf,
  type BenchConfig,
  type BenchDevice,
  type BenchMeasure,
  type BenchRow,
} from './report/bench-report.ts';
import { sizesOf, warmupSizes } from './sizes.ts';
import { UsageError } from './usage-error.ts';

/** Receives events as they happen. */
export interface BenchListener {
  /** Called when the world is open. */
  started(config: BenchConfig, devices: readonly BenchDevice[]): void;
  /** Called at the next step. */
  doing(what: string): void;
  /** Called when something was omitted. */
  note(text: string): void;
  row(row: BenchRow): void;
}

/**
 * Opens a world at `bench`, measures the requested programs with each contender, and calls
 * `listener`.
 *
 * @throws UsageError if the requested ranks or types do not exist. Other errors are passed on.
 */
export async function runBench(
  options: BenchOptions,
  bench: BenchBackend,
  contenders: readonly Contender[],
  listener: BenchListener,
): Promise<void> {
  await using world = await World.open({ backend: bench.backend });
  const config: BenchConfig = { ...options.config, nGpus: world.localRanks.length };
  if (options.program.rooted && options.root >= world.nRanks) {
    throw new UsageError(`-r ${options.root}: there are ${world.nRanks} ranks`);
  }
  listener.started(config, await bench.devices(world));
  const skipped = options.program.skips?.(world.nRanks);
  if (skipped !== undefined) {
    listener.note(`${options.program.name}: ${skipped}; nothing is measured`);
    return;
  }
  const ranks = await allocBuffers(world, Math.max(1, config.maxBytes), config.unalign);
  const bed: BenchBed = { world, ranks, config, average: options.average, timeout: options.timeout };
  for (const contender of contenders) await contender.prepare(world);
  const measured = { bed, options, contenders, listener, nextSeed: seeds() };
  for (const call of callsOf(options, world, listener)) await measureCall(measured, call);
  for (const contender of contenders) await contender.finish();
}

interface BenchRun {
  readonly bed: BenchBed;
  readonly options: BenchOptions;
  readonly contenders: readonly Contender[];
  readonly listener: BenchListener;
  /**
   * Different data each time, so that old data of a measurement cannot be taken for the next
   * result.
   */
  readonly nextSeed: () => number;
}

/** All requested types, operators and roots, in nccl-tests' order. */
function callsOf(options: BenchOptions, world: World, listener: BenchListener): readonly Combination[] {
  const { program, types, ops, root } = options;
  const [first] = world.localRanks;
  const scalars = first === undefined ? [] : world.comm(first).capabilities.scalars;
  const able = types.filter(({ kind }) => scalars.includes(kind));
  const missing = types.filter((type) => !able.includes(type)).map(({ name }) => name);
  if (able.length === 0)
    throw new UsageError(`-d ${missing.join(', ')}: ${options.backend} does not support this type`);
  if (missing.length > 0) listener.note(`-d all: ${options.backend} does not have ${missing.join(', ')}`);
  const allOps: readonly (BenchOp | undefined)[] = program.redop === 'asked' ? ops : [undefined];
  const roots = !program.rooted ? [-1] : root === -1 ? world.localRanks : [root];
  return able.flatMap((type: BenchType) =>
    allOps.flatMap((op) => roots.map((ofRank) => ({ program, type, op, root: ofRank }))),
  );
}

/** Warms all sizes up, and measures a row for each. */
async function measureCall(measured: BenchRun, combination: Combination): Promise<void> {
  const { bed, options, contenders, listener } = measured;
  const { minBytes, maxBytes, step, warmupIters } = bed.config;
  for (const contender of contenders) {
    for (const size of warmupIters === 0 ? [] : warmupSizes(minBytes, maxBytes)) {
      const sized = sizedCall(combination, size, bed.world.nRanks);
      if (contender.refuses(sized.call, false) !== undefined) continue;
      listener.doing(`warming up ${textOf(sized)}`);
      for (let iter = 0; iter < warmupIters; iter++) await startCall(bed, contender, sized, false, iter);
      await completeCalls(bed, contender);
    }
  }
  for (let cycle = 0; options.runCycles === 0 || cycle < options.runCycles; cycle++) {
    for (const size of sizesOf(minBytes, maxBytes, step)) {
      const sized = sizedCall(combination, size, bed.world.nRanks);
      for (const contender of contenders) listener.row(await measureRow(measured, contender, sized));
    }
  }
}

async function measureRow(measured: BenchRun, contender: Contender, sized: SizedCall): Promise<BenchRow> {
  const { bed, contenders, listener, nextSeed } = measured;
  const { call, counts } = sized;
  const half = async (inPlace: boolean): Promise<BenchMeasure | undefined> => {
    if (contender.refuses(call, inPlace) !== undefined) return undefined;
    listener.doing(`${textOf(sized)}, ${inPlace ? 'in place' : 'out of place'}`);
    return benchTime(bed, contender, sized, inPlace, nextSeed());
  };
  const outOfPlace = await half(false);
  const inPlace = await half(true);
  return {
    size: Math.max(counts.send, counts.recv) * call.type.bytes,
    count: counts.param,
    type: call.type.name,
    redop: call.op ?? call.program.redop,
    root: call.program.rooted ? call.root : -1,
    outOfPlace,
    inPlace,
    iters: bed.config.iters,
    ...(bed.config.reportTimestamps ? { timestamp: timestampOf(new Date()) } : {}),
    experiment: contenders.length > 1 ? contender.name : '',
  };
}

function textOf({ call, counts }: SizedCall): string {
  const bytes = Math.max(counts.send, counts.recv) * call.type.bytes;
  return `${call.program.name} ${call.type.name}${call.op === undefined ? '' : ` ${call.op}`}, ${bytes} bytes`;
}

function seeds(): () => number {
  let last = 0;
  return () => ++last;
}
