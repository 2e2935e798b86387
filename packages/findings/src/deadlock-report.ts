import type { NcclError } from '@nccl-ts/core';
import type { HostState } from '@nccl-ts/transport';
import type { QuotedLocation } from './quoted-location.ts';
import type { Waiting } from './waiting.ts';
import type { WordHistory } from './word-history.ts';
import type { WordMeaning } from './word-meaning.ts';

/** Why no thread can continue: the `details` of an `NCCLTS_DEADLOCK` error. */
export interface DeadlockReport {
  /**
   * True if some threads run in loops, and the state of the whole world repeats. Absent if all are
   * blocked.
   */
  readonly livelock?: true;
  /** Every group of threads that waits, by rank, launch and CTA. */
  readonly waiting: readonly WaitingThreads[];
  /** The running launches with CTAs for which the device never had room. */
  readonly unstarted: readonly UnstartedCtas[];
  /** The launches that wait for others on their streams. */
  readonly queued: readonly QueuedLaunch[];
  /** The ranks that others may be waiting for, and their state, in ascending order. */
  readonly missing: readonly MissingRank[];
}

/** Threads of one CTA that wait at one source location for one event. */
export interface WaitingThreads {
  readonly kernel: string;
  /** The purpose of the launch, if its program states one. */
  readonly label?: string;
  /** The number of the launch in the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  /** The CTA's linear index. */
  readonly cta: number;
  /** Linear indices, ascending. */
  readonly threads: readonly number[];
  readonly kind: Waiting['kind'];
  /** Absent if the kernel's text is not known. */
  readonly place: QuotedLocation | undefined;
  /** The words that the first unfulfilled condition reads. */
  readonly words: readonly AwaitedWord[];
  /** For a wait for several indices: those whose condition was never true. */
  readonly indices?: readonly number[];
  /** The needed value, in words. */
  readonly needed: string;
}

export interface AwaitedWord {
  readonly place: WordMeaning;
  readonly type: string;
  readonly value: number | bigint | boolean;
  /** How it came to its value. Absent if nobody watched, or the word is not in global memory. */
  readonly history?: WordHistory;
}

export interface UnstartedCtas {
  readonly kernel: string;
  readonly launch: number;
  readonly rank: number;
  /** The number of CTAs that have not started, and the number of all CTAs. */
  readonly ctas: number;
  readonly grid: number;
  /** The number of CTAs that the device can run at once. */
  readonly residentCtas: number;
}

export interface QueuedLaunch {
  readonly kernel: string;
  readonly launch: number;
  readonly rank: number;
}

/**
 * The reason why a rank does not continue.
 *
 * - `neverLaunched`: the rank has launched no kernel.
 * - `ended`: its last kernel has run to its end.
 * - `failed`: its last kernel failed.
 * - `elsewhere`: it also waits, at another source location or for another word.
 */
export type MissingReason = 'neverLaunched' | 'ended' | 'failed' | 'elsewhere';

export interface MissingRank {
  readonly rank: number;
  readonly reason: MissingReason;
  /** Its last kernel, or the kernel that waits elsewhere. */
  readonly kernel?: string;
  /** For `failed`: the error. */
  readonly failure?: NcclError;
  readonly host: HostState;
  /** The ranks that wait for a word that this rank writes. */
  readonly awaitedBy: readonly number[];
}
