import type { World } from '@nccl-ts/communicator';
import { bandwidths, type CallCounts } from '../bench-program.ts';
import type { BenchCall, Contender } from '../contender.ts';
import type { BenchConfig, BenchMeasure } from '../report/bench-report.ts';
import { placeOf, pointersTo, shiftOf, type RankWindows } from './bench-buffers.ts';
import { countWrong, initData, type CheckedCall } from './check-data.ts';
import { synchronizeAll, timeIterations, type Average } from './time-iterations.ts';

/** What stays the same for all measurements of a run. */
export interface BenchBed {
  readonly world: World;
  readonly ranks: readonly RankWindows[];
  readonly config: BenchConfig;
  readonly average: Average;
  /** Seconds that a wait may take; 0 for any. */
  readonly timeout: number;
}

/** A call of one size. */
export interface SizedCall {
  readonly call: BenchCall;
  readonly counts: CallCounts;
}

const FIRST_SEED = 99;
const MICROSECONDS = 1e6;

/** Begins `contender`'s call number `iter`; each lies elsewhere in the buffers. */
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
  const places = ranks.map((windows) => placeOf(windows, { counts, elementBytes, inPlace }, first));
  if (counts.param === 0) return;
  await contender.start(
    call,
    places.map((place) => pointersTo(place, call)),
  );
}

/** Waits for what was begun. @throws what went wrong in it; NcclError `NCCLTS_ABORTED` after the time-out. */
export async function completeCalls(bed: BenchBed): Promise<void> {
  await synchronizeAll({ world: bed.world, synchronize: synchronizeOf(bed) });
}

/**
 * Measures one half of a row: one call to begin with, then the iterations, then as many checks of the data of one more call as
 * the configuration asks for; what is wrong ends them. `seed` is another one for each measurement.
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
  await completeCalls(bed);
  const time = await timeIterations({
    world,
    config,
    average,
    start: async (iter) => startCall(bed, contender, sized, inPlace, iter),
    synchronize: synchronizeOf(bed),
  });
  const checks = inPlace && call.program.inPlace === 'unchecked' ? 0 : config.check;
  let wrong = 0;
  for (let check = 0; check < checks && wrong === 0; check++) {
    await initData(checked(seed), ranks);
    await startCall(bed, contender, sized, inPlace, 0);
    await completeCalls(bed);
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

function synchronizeOf({ world, timeout }: BenchBed): (rank: number) => Promise<void> {
  return async (rank) => {
    const options = timeout === 0 ? {} : { signal: AbortSignal.timeout(timeout * 1000) };
    await world.comm(rank).synchronize(undefined, options);
  };
}
