import type { ArgValue } from '../program.ts';

/** Bytes that CTAs have moved, by memory and direction. */
export interface Moved {
  ownLoads: number;
  ownStores: number;
  peerLoads: number;
  peerStores: number;
}

export function nothingMoved(): Moved {
  return { ownLoads: 0, ownStores: 0, peerLoads: 0, peerStores: 0 };
}

/** The part of a machine that a CTA of a launch has. */
export interface CtaShare {
  /** CTAs that share the memory's bandwidth, and the links'. */
  readonly memory: number;
  readonly links: number;
  /** True if an earlier launch has left its data in the L2 cache. */
  readonly isCached: boolean;
}

/** The bytes that a launch has moved: its total, and those of the CTA with the most. */
export class LaunchUse {
  #own = 0;
  #peers = 0;
  #mostOwn = 0;
  #mostPeers = 0;

  /** Adds those of one CTA. */
  add({ ownLoads, ownStores, peerLoads, peerStores }: Moved): void {
    const own = ownLoads + ownStores;
    const peers = peerLoads + peerStores;
    this.#own += own;
    this.#peers += peers;
    this.#mostOwn = Math.max(this.#mostOwn, own);
    this.#mostPeers = Math.max(this.#mostPeers, peers);
  }

  /** The share of a CTA of the same launch, of `ctas` CTAs that run at once at most. */
  share(ctas: number, cacheBytes: number): CtaShare {
    const sharers = (all: number, most: number): number =>
      most === 0 ? ctas : Math.max(1, Math.min(ctas, all / most));
    return {
      memory: sharers(this.#own, this.#mostOwn),
      links: sharers(this.#peers, this.#mostPeers),
      isCached: this.#own + this.#peers <= cacheBytes,
    };
  }
}

/** The same for launches that do the same: of one kernel on one rank, with equal arguments. */
export function launchKey(
  rank: number,
  kernel: string,
  ctas: number,
  threads: number,
  args: readonly ArgValue[],
): string {
  const text = args.map((arg) => {
    if (typeof arg !== 'object') return String(arg);
    if ('address' in arg) return `${arg.region}:${arg.address}`;
    if ('windows' in arg) return 'comm';
    return 'bases' in arg ? `window ${arg.firstRegion}` : arg.map(String).join('.');
  });
  return [rank, kernel, ctas, threads, ...text].join(' ');
}
