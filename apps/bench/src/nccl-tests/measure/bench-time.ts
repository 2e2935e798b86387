import type { World } from '@nccl-ts/communicator';
import { bandwidths, type CallCounts } from '../bench-program.ts';
import type { BenchCall, Contender, ContenderGraph } from '../contender.ts';
import type { BenchConfig, BenchMeasure } from '../report/bench-report.ts';
import { buffersOf, pointersTo, shiftOf, type RankWindows } from './bench-buffers.ts';
import { countWrong, initData, type CheckedCall } from './check-data.ts';
import { synchronizeAll, timeIterations, type Average } from './time-iterations.ts';

/** The settings that all measurements of a run share. */
export interface BenchBed {
  readonly world: World;
  readonly ranks: readonly RankWindows[];
  readonly config: BenchConfig;
  readonly average: Average;
  /** The time limit of a wait in seconds, or 0 for none. */
  readonly timeout: number;
}

/** A call of one size. */
export interface SizedCall {
  readonly call: BenchCall;
  readonly counts: CallCounts;
}

/** A call of any size. */
export type Combination = Omit<BenchCall, 'count'>;

const FIRST_SEED = 99;
const MICROSECONDS = 1e6;

/** The call whose buffers have at most `bytes` bytes. */
export function sizedCall(combination: Combination, bytes: number, nRanks: number): SizedCall {
  const { program, type } = combination;
  const counts = program.counts(Math.floor(bytes / type.bytes), nRanks, 16 / type.bytes);
  const { param, chunks } = counts;
  const call = { ...combination, root: Math.max(0, combination.root), count: param };
  return { call: chunks === undefined ? call : { ...call, chunks }, counts };
}

/** Starts call number `iter` of `contender`, at a separate offset in the buffers. */
export async function startCall(
  bed: BenchBed,
  contender: Contender,
  { call, counts }: SizedCall,
  inPlace: boolean,
  iter: number,
): Promise<void> {
  const { ranks, config } = bed;
  const elementBytes = call.type.bytes;
  const used = Math.max(counts.send, counts.recv) * elementBytes;
  const first = config.unalign * elementBytes + shiftOf(iter, used, config.maxBytes);
  const places = ranks.map((windows) => buffersOf(windows, { counts, elementBytes, inPlace }, first));
  if (counts.param === 0) return;
  await contender.start(
    call,
    places.map((buffers) => pointersTo(buffers, call)),
  );
}

/**
 * Waits for the contender's work.
 *
 * @throws its error; NcclError `NCCLTS_ABORTED` after the time-out.
 */
export async function completeCalls(bed: BenchBed, contender: Contender): Promise<void> {
  await synchronizeAll({ localRanks: bed.world.localRanks, synchronize: synchronizeOf(bed, contender) });
}

/**
 * Measures one half of a row. It makes one call, then the iterations, and then the configured
 * number of checks, each of the data of one more call. An error ends them. `seed` must differ for
 * each measurement.
 */
export async function benchTime(
  bed: BenchBed,
  contender: Contender,
  sized: SizedCall,
  inPlace: boolean,
  seed: number,
): Promise<BenchMeasure> {
  const { world, ranks, config, average } = bed;
  const { call, counts } = sized;
  const checked = (with_: number): CheckedCall => ({
    call,
    counts,
    inPlace,
    nRanks: world.nRanks,
    seed: with_,
    firstByte: config.unalign * call.type.bytes,
  });
  if (config.check > 0) await initData(checked(FIRST_SEED), ranks);
  await startCall(bed, contender, sized, inPlace, 0);
  await completeCalls(bed, contender);
  const time = await timeIterations({
    localRanks: world.localRanks,
    config,
    average,
    start: async (iter) => startCall(bed, contender, sized, inPlace, iter),
    capture: async (body) => captureCalls(bed, contender, body),
    synchronize: synchronizeOf(bed, contender),
  });
  const checks = inPlace && call.program.inPlace === 'unchecked' ? 0 : config.check;
  let wrong = 0;
  for (let check = 0; check < checks && wrong === 0; check++) {
    await initData(checked(seed), ranks);
    await startCall(bed, contender, sized, inPlace, 0);
    await completeCalls(bed, contender);
    wrong = await countWrong(checked(seed), ranks);
  }
  const { nRanks } = world;
  const speed = bandwidths(call.program, {
    counts,
    elementBytes: call.type.bytes,
    nRanks,
    seconds: time.seconds,
  });
  const times = time.each?.map((seconds) => seconds * MICROSECONDS);
  return {
    time: (config.reportCputime ? time.cpuSeconds : time.seconds) * MICROSECONDS,
    ...speed,
    wrong: checks > 0 ? wrong : undefined,
    ...(times === undefined ? {} : { iterations: { skipped: config.perIterSkip, times } }),
  };
}

/** Records the calls of the contender that `body` starts. */
export async function captureCalls(
  { world }: BenchBed,
  { lane }: Contender,
  body: () => Promise<void>,
): Promise<ContenderGraph> {
  if (lane !== undefined) return lane.capture(body);
  const [first] = world.localRanks;
  return world.capture(async ({ rank }) => {
    if (rank === first) await body();
  });
}

function synchronizeOf({ world, timeout }: BenchBed, { lane }: Contender): (rank: number) => Promise<void> {
  return async (rank) => {
    if (lane !== undefined) return lane.synchronize(rank);
    const options = timeout === 0 ? {} : { signal: AbortSignal.timeout(timeout * 1000) };
    await world.comm(rank).synchronize(undefined, options);
  };
}
