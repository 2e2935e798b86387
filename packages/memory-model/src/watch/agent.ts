/** What a group of threads is. */
export interface AgentInit {
  readonly kind: 'cta' | 'host' | 'network';
  readonly rank: number;
  /** The memory synchronisation domain of its kernels; absent for hosts and the network. */
  readonly domain?: number | undefined;
}

/** Who has taken part: a number that stays, for groups that follow each other. */
export interface Agent extends AgentInit {
  readonly index: number;
  readonly cta: number;
  /** The first stamp that nobody has used. */
  stamp: number;
  /** The stamps at which all threads of it have met, the last ones. */
  readonly met: number[];
}
