import { AGENT_THREADS } from './clock.ts';

/** What a group of threads is. */
export interface AgentInit {
  /**
   * `bulk`: what does the bulk copies of one CTA, each by a thread of its own and through a proxy
   * of its own.
   */
  readonly kind: 'cta' | 'host' | 'network' | 'bulk';
  readonly rank: number;
  /** The memory synchronisation domain of its kernels; absent for hosts and the network. */
  readonly domain?: number | undefined;
  /** Of one that belongs to a CTA: the agent of the CTA. */
  readonly of?: number | undefined;
}

/** Who has taken part: a number that stays, for groups that follow each other. */
export interface Agent extends AgentInit {
  readonly index: number;
  readonly cta: number;
  /** The number of its first thread in the CTA: copies are no threads of the block. */
  readonly firstThread: number;
  /** The first stamp that nobody has used. */
  stamp: number;
  /** The stamps at which all threads of it have met, the last ones. */
  readonly met: number[];
}

/** The agent of number `index`. */
export function newAgent(init: AgentInit, index: number): Agent {
  const firstThread = init.of === undefined ? 0 : AGENT_THREADS;
  return { ...init, index, cta: init.of ?? index, firstThread, stamp: 1, met: [] };
}
