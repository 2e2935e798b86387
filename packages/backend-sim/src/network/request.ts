import type { Delivery } from '../schedule/scheduler.ts';

/** One rank's requests to one peer on one context: the unit within which NCCL orders requests. */
export interface Domain {
  /** The location of the u64 word that counts its locally complete requests. */
  readonly completed: number;
  /** Requests that are not locally complete, oldest first. */
  readonly incomplete: Request[];
  /** Puts whose data is not completely written, oldest first. */
  readonly unwritten: Request[];
  /** Requests that wait until another one releases them. */
  readonly held: Request[];
  /** The number of requests so far. */
  posted: number;
}

/** A change of a u64 at the peer. */
export interface Signal {
  /** The location of the word. */
  readonly address: number;
  readonly amount: bigint;
  /** True if the word becomes `amount`, and false if that is added to it. */
  readonly sets: boolean;
  /** True if it covers all earlier puts in its domain, and not only its own put. */
  readonly strong: boolean;
  /** True if it changes only once its own put has arrived, as signals of NVSHMEM do. */
  readonly follows: boolean;
  /** True if the word is in a window of the kernel. */
  readonly va: boolean;
  /** The rank that owns the word. */
  readonly rank: number;
}

/** A posted request. */
export interface Request {
  readonly domain: Domain;
  /** The request's number in the world. */
  readonly order: number;
  /** The request's number in its domain. */
  readonly number: number;
  readonly kind: 'put' | 'putValue' | 'get' | 'signal';
  /** The rank that posted it, and the target rank. */
  readonly rank: number;
  readonly peer: number;
  /** The GIN context. */
  readonly context: number;
  /** True if it was held back at first. */
  readonly held: boolean;
  /** True for a request of NVSHMEM, which no thread must wait for before its kernel ends. */
  readonly isShmem: boolean;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly signal: Signal | undefined;
  /** The address of the counter for its local completion. */
  readonly counter: number | undefined;
  /** The data that was read from the source and not yet written. */
  readonly data: Uint8Array;
  /** Its steps that are possible now. */
  readonly steps: Set<RequestStep>;
  /** The number of pieces still to read. */
  unread: number;
  /** The number of pieces still to write. A signal that follows them is one more. */
  unwritten: number;
}

export type StepKind = 'read' | 'write' | 'signal';

/**
 * One step of a request: it reads a piece of a source, writes a piece at a destination, or changes
 * a signal. A piece is written after it was read. Before a signal changes, the sources that it
 * covers are read. Nothing else is ordered.
 */
export interface RequestStep extends Delivery {
  readonly kind: StepKind;
  readonly request: Request;
  /** The piece's offset in the data. */
  readonly offset: number;
  /** Its index in the list of possible steps. */
  at: number;
}

/** One step of another operation that moves data between ranks. */
export interface OtherStep extends Delivery {
  readonly kind: StepKind;
  readonly request?: undefined;
  /** Identifies its future, independent of the order of steps. */
  readonly name: () => string;
  /** The number of its operation. */
  readonly operation: number;
  readonly take: () => void;
  /** Its index in the list of possible steps. */
  at: number;
}

/** One step between ranks. */
export type NetworkStep = RequestStep | OtherStep;
