import {
  agentOf,
  type Agent,
  type Clock,
  type GroupClocks,
  type SeenAccess,
  type Snapshot,
} from '@nccl-ts/memory-model';

/**
 * The puts, or gets, of one rank to one peer on one context: the agents for their reads, their
 * writes and their signals.
 */
export interface PeerQueue {
  readonly reads: Agent;
  readonly writes: Agent;
  /** Changes signals and counters. A signal that covers a put does not cover these. */
  readonly words: Agent;
  /** The rank that posts, and the target rank. */
  readonly rank: number;
  readonly peer: number;
  readonly isGet: boolean;
  /** The posted requests, oldest first. */
  readonly posted: Posted[];
  /** Present with fences of NVSHMEM. Its stamp n is fence n, counted from 1. */
  fenceAgent: Agent | undefined;
  /** By fence: the puts that arrive before later operations of the rank at the peer. */
  readonly fences: Clock[];
  /** The requests among them that no flush covers in every run. */
  unflushed: Posted[];
  /** True if each was ordered after the previous one. */
  isOrdered: boolean;
}

/** Requests of a queue: all whose stamps come before `until`, and some others. */
export interface KnownRequests {
  readonly until: number;
  readonly others: readonly Posted[];
}

/** A pending request. */
export interface Posted {
  readonly queue: PeerQueue;
  /** The releases before the post. Its reads, writes and signal are ordered after these. */
  readonly begin: Clock;
  /** The waits before the post, if they are counted. */
  readonly waits: Clock | undefined;
  /** Its stamp in both agents of its queue. */
  readonly stamp: number;
  /** The source location of the post, and the one for its signal. */
  readonly site: number;
  readonly signalSite: number;
  /** The posting thread, and the time of the post. */
  readonly poster: { readonly group: GroupClocks; readonly thread: number; readonly at: number };
  /** The address of its first destination byte. */
  readonly to: number;
  /** True if the request reads and writes data. */
  readonly carries: boolean;
  /** Everything before its post, if that is counted. */
  readonly known: Snapshot | undefined;
  /** The loads that have finished when it is posted, if the order of GPUs counts. */
  readonly over: Snapshot | undefined;
  /** The requests that certainly come before it in its queue, if others do so only by chance. */
  readonly before: KnownRequests | undefined;
}

/** The thread that posted a request, and the time. */
export function posterOf({ poster: { group, thread, at } }: Posted): { readonly who: number; readonly stamp: number } {
  return { who: group.whoBase + thread, stamp: at };
}

/** Identifies a request by an agent of its queue and a stamp. */
export function stampKey({ who, stamp }: SeenAccess): number {
  return agentOf(who) * 2 ** 32 + stamp;
}
