import { plainJs } from './plain-js.ts';

/** A collective to time; `bytes` is the whole buffer of a rank, as nccl-tests counts. */
export interface OwnCase {
  readonly ranks: number;
  readonly bytes: number;
  readonly inPlace: boolean;
  /** So many times are wanted. */
  readonly rounds: number;
}

/**
 * Microseconds of one call, a number for each round. A round is many calls in one launch, about 20 ms of them; a call is a
 * barrier, the work, a barrier. Buffers are there before and written to; what a first call costs does not count.
 */
export type TimeCollective = (of: OwnCase) => Promise<readonly number[]>;

/**
 * Our side of the comparison. What is missing is not measured, and the rows that need it say so. What was made for a case may be
 * kept for the same case of the next round.
 */
export interface Own {
  /** Who this is, for the report. */
  readonly name: string;
  readonly allReduce?: TimeCollective;
  readonly allGather?: TimeCollective;
  /** Out of place only. */
  readonly allToAll?: TimeCollective;
  readonly reduceScatter?: TimeCollective;
  /** Nanoseconds of a barrier of two workers that both spin. */
  readonly barrier?: (of: { readonly threads: 2 }) => Promise<number>;
  /** Microseconds of a barrier among so many ranks, on two cores. */
  readonly barrierOfRanks?: (ranks: 8) => Promise<number>;
  /** Microseconds from a launch onto workers that have been parked for half a millisecond to its end; the median of 40. */
  readonly launchParked?: () => Promise<number>;
  /** Microseconds from a launch onto spinning workers to its end; the median of many. */
  readonly launchHot?: () => Promise<number>;
  /** Microseconds of each of 1000 launches of a small kernel, on one thread. */
  readonly launchOverhead?: () => Promise<number>;
  /** The same AllReduce in plain JavaScript. */
  readonly plainJs: TimeCollective;
  /** Afterwards nothing of this side runs or spins until the next call. */
  readonly idle: () => Promise<void>;
  /** Ends the workers. */
  readonly close: () => Promise<void>;
}

/** What stands for our side in this build: as yet the loops of plain JavaScript, for AllReduce and the barrier alone. */
export async function ownContender(): Promise<Own> {
  const js = await plainJs();
  return {
    name: 'placeholder (plain JavaScript)',
    allReduce: js.allReduce,
    barrier: js.barrier,
    plainJs: js.allReduce,
    idle: js.idle,
    close: js.close,
  };
}
