import type { NcclError } from '@nccl-ts/core';
import type { HostState } from '@nccl-ts/transport';
import type { SourcePlace } from './kernel-text.ts';
import type { Waiting } from './waiting.ts';
import type { WordPlace } from './word-place.ts';

/** Why nothing moves any more: the `details` of an `NCCLTS_DEADLOCK` error. */
export interface DeadlockReport {
  /**
   * True if some go on in loops, and the state of everything comes again; absent where all stand
   * still.
   */
  readonly livelock?: true;
  /** Every group of threads that waits, by rank, launch and CTA. */
  readonly waiting: readonly WaitingThreads[];
  /** Launches that run, but have CTAs that never found room on the device. */
  readonly unstarted: readonly UnstartedCtas[];
  /** Launches that stand behind others on their streams. */
  readonly queued: readonly QueuedLaunch[];
  /** The ranks that others may be waiting for, and what became of them. Ascending. */
  readonly missing: readonly MissingRank[];
}

/** Threads of one CTA that wait at one place for one thing. */
export interface WaitingThreads {
  readonly kernel: string;
  /** What the launch is for, where its program says so. */
  readonly label?: string;
  /** Counts the launches of the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  /** The CTA's linear index. */
  readonly cta: number;
  /** Linear indices, ascending. */
  readonly threads: readonly number[];
  readonly kind: Waiting['kind'];
  /** Absent where the kernel's text is not known. */
  readonly place: SourcePlace | undefined;
  /** What the first condition that does not hold reads. */
  readonly words: readonly AwaitedWord[];
  /** Of a wait for several indices: those whose condition has not held. */
  readonly indices?: readonly number[];
  /** The value needed, in words. */
  readonly needed: string;
}

export interface AwaitedWord {
  readonly place: WordPlace;
  readonly type: string;
  readonly value: number | bigint | boolean;
}

export interface UnstartedCtas {
  readonly kernel: string;
  readonly launch: number;
  readonly rank: number;
  /** How many have not started, of how many. */
  readonly ctas: number;
  readonly grid: number;
  /** How many CTAs the device holds at once. */
  readonly residentCtas: number;
}

export interface QueuedLaunch {
  readonly kernel: string;
  readonly launch: number;
  readonly rank: number;
}

/**
 * - `neverLaunched`: the rank has launched no kernel at all;
 * - `ended`: its last kernel has run to its end;
 * - `failed`: its last kernel failed;
 * - `elsewhere`: it waits too, at another place or for another word.
 */
export type MissingReason = 'neverLaunched' | 'ended' | 'failed' | 'elsewhere';

export interface MissingRank {
  readonly rank: number;
  readonly reason: MissingReason;
  /** Its last kernel, or the one that waits elsewhere. */
  readonly kernel?: string;
  /** Of `failed`: why. */
  readonly failure?: NcclError;
  readonly host: HostState;
  /** The ranks that wait for a word which this rank writes. */
  readonly awaitedBy: readonly number[];
}
