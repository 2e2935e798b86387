import type { ArgValue } from '@nccl-ts/codegen';

/** Bytes that CTAs have moved, by memory and direction. */
export interface Moved {
  ownLoads: number;
  ownStores: number;
  peerLoads: number;
  peerStores: number;
  /** Those of them in memory of a device communicator. */
  resources: number;
}

export function nothingMoved(): Moved {
  return { ownLoads: 0, ownStores: 0, peerLoads: 0, peerStores: 0, resources: 0 };
}

/** The part of a machine that a CTA of a launch has. */
export interface CtaShare {
  /** CTAs that share the memory's bandwidth, and the links'. */
  readonly memory: number;
  readonly links: number;
  /** The part of its data that an earlier launch has left in the L2 cache, from 0 to 1. */
  readonly cached: number;
  /** CTAs that wait for a peer, and that fence at system scope; warps of a CTA that send. */
  readonly waiters: number;
  readonly fencers: number;
  readonly senders: number;
}

/** The actions of a CTA beside moving bytes. */
export interface Acted {
  /** It has polled what a peer wrote. */
  readonly waits: boolean;
  /** It has fenced, or released, at system scope. */
  readonly fences: boolean;
  /** Its warps that have stored to a peer so that others see it. */
  readonly senders: number;
}

/** The bytes that a launch has moved: its total, and those of the CTA with the most. */
export class LaunchUse {
  #own = 0;
  #peers = 0;
  #mostOwn = 0;
  #mostPeers = 0;
  #resources = 0;
  #waiters = 0;
  #fencers = 0;
  #senders = 0;

  /** Adds those of one CTA. */
  add({ ownLoads, ownStores, peerLoads, peerStores, resources }: Moved, { waits, fences, senders }: Acted): void {
    this.#waiters += Number(waits);
    this.#fencers += Number(fences);
    this.#senders = Math.max(this.#senders, senders);
    const own = ownLoads + ownStores;
    const peers = peerLoads + peerStores;
    this.#own += own;
    this.#peers += peers;
    this.#resources += resources;
    this.#mostOwn = Math.max(this.#mostOwn, own);
    this.#mostPeers = Math.max(this.#mostPeers, peers);
  }

  /** The share of a CTA of the same launch, of `ctas` CTAs that run at once at most. */
  share(ctas: number, cacheBytes: number): CtaShare {
    const sharers = (all: number, most: number): number =>
      most === 0 ? ctas : Math.max(1, Math.min(ctas, all / most));
    // All calls use the same memory of a device communicator, unlike their buffers.
    const bytes = this.#own + this.#peers - this.#resources;
    return {
      memory: sharers(this.#own, this.#mostOwn),
      links: sharers(this.#peers, this.#mostPeers),
      // The cache has two halves. Each keeps a copy of what its multiprocessors load.
      cached: bytes >= cacheBytes ? 0 : Math.min(1, 2 - (2 * bytes) / cacheBytes),
      waiters: Math.max(1, Math.min(ctas, this.#waiters)),
      fencers: Math.max(1, Math.min(ctas, this.#fencers)),
      senders: Math.max(1, this.#senders),
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
