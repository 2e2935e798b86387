import type { ThreadCoordinates } from '../scope.ts';
import { AGENT_THREADS, threadOf, type Who } from './clock.ts';

/** Describes a group of threads. */
export interface AgentInit {
  /**
   * `bulk` performs the bulk copies of one CTA. Each copy is a separate thread, and uses the async
   * proxy. `fabric` does the same for the operations of logical endpoints. They access global
   * memory through the fabric proxy, and shared memory through the async proxy. `store` performs
   * the asynchronous stores and reductions of one CTA, each as a separate thread. They use the
   * generic proxy.
   */
  readonly kind: 'cta' | 'host' | 'network' | 'bulk' | 'store' | 'fabric';
  readonly rank: number;
  /** True for an agent of the network that only reads the sources of requests. */
  readonly readsSources?: boolean;
  /** The memory synchronisation domain of its kernels; absent for hosts and the network. */
  readonly domain?: number | undefined;
  /** For an agent that belongs to a CTA: the agent of the CTA. */
  readonly of?: number | undefined;
}

/** A participant of the run. Groups that follow each other have the same agent number. */
export interface Agent extends AgentInit {
  readonly index: number;
  readonly cta: number;
  /** The number of its first thread in the CTA. Bulk copies are not threads of the block. */
  readonly firstThread: number;
  /** The cluster of its current group, if that has more than one CTA. */
  cluster: number | undefined;
  /** The first unused stamp. */
  stamp: number;
  /** The last stamps at which all its threads have synchronized. */
  readonly met: number[];
}

/** The part of a group that its agent decides. */
export interface AgentGroup {
  readonly agent: number;
  readonly rank: number;
  /** Unique among CTAs of the world. */
  readonly cta: number;
  /** Unique among clusters of several CTAs of the world; absent for other CTAs. */
  readonly cluster: number | undefined;
  /** The number of its first thread in the CTA. */
  readonly firstThread: number;
  /** The memory synchronisation domain of its kernel, where it has one. */
  readonly domain: number | undefined;
  /** The first stamp that the group may use. */
  readonly stamp: number;
  /** Receives the stamps at which all threads synchronize. */
  readonly met: number[];
  /**
   * True if each event of a thread is ordered after its earlier events. False for requests of a
   * queue.
   */
  readonly inOrder: boolean;
}

/** True if the events of one thread of such an agent are ordered by time. */
function isInOrder(kind: AgentInit['kind']): boolean {
  return kind !== 'network' && kind !== 'fabric';
}

/** The thread of an agent's event. */
export function writerOf({ rank, cta, cluster, domain, firstThread }: Agent, who: Who): ThreadCoordinates {
  return { rank, cta, cluster, domain, thread: firstThread + threadOf(who) };
}

/** The description of an agent's next group. */
export function nextGroup({ index, rank, cta, cluster, firstThread, domain, stamp, met, kind }: Agent): AgentGroup {
  return { agent: index, rank, cta, cluster, firstThread, domain, stamp, met, inOrder: isInOrder(kind) };
}

/** The agent of number `index`. */
export function newAgent(init: AgentInit, index: number): Agent {
  const firstThread = init.of === undefined ? 0 : (init.kind === 'store' ? 2 : 1) * AGENT_THREADS;
  return { ...init, index, cta: init.of ?? index, firstThread, cluster: undefined, stamp: 1, met: [] };
}
