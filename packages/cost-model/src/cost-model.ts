import { NcclError, showValue } from '@nccl-ts/core';

/** The cost of one path to memory. */
export interface SimLinkCost {
  /** In nanoseconds. */
  readonly latency?: number;
  /** In bytes per nanosecond, which is GB/s. */
  readonly bandwidth?: number;
}

/**
 * Values by a number of CTAs: pairs of a number and its value, by number. Values between two pairs
 * follow the logarithm of the number; those outside are the nearest.
 */
export type SimByCtas = readonly (readonly [ctas: number, value: number])[];

/** Values by a number of ranks, like `SimByCtas`. */
export type SimByRanks = readonly (readonly [ranks: number, value: number])[];

/** The cost of a GPU's own memory. */
export interface SimMemoryCost extends SimLinkCost {
  /** The nanoseconds of a load that hits the L2 cache, such as a poll. */
  readonly cachedLatency?: number;
  /** Nanoseconds of an atomic. @default `cachedLatency` */
  readonly atomicLatency?: number;
  /** The most bytes per nanosecond that one CTA loads. */
  readonly ctaBandwidth?: number;
  /** And stores. @default `ctaBandwidth` */
  readonly ctaStoreBandwidth?: number;
  /**
   * Bytes of the L2 cache. A launch that repeats an earlier one finds all of its data there if they
   * fit into one half, and none if they need more than the whole.
   */
  readonly cacheBytes?: number;
}

/** The cost of the links between ranks that can load and store each other's memory. */
export interface SimNvlinkCost extends SimLinkCost {
  /** The nanoseconds of a load, for the round trip. @default twice `latency` */
  readonly loadLatency?: number;
  /** The nanoseconds from a store until its rank knows of its arrival. @default `loadLatency` */
  readonly storeLatency?: number;
  /** Nanoseconds of an atomic, both ways. @default `loadLatency` */
  readonly atomicLatency?: number;
  /** The bandwidth of stores in bytes per nanosecond; `bandwidth` is that of loads. */
  readonly storeBandwidth?: number;
  /** The bandwidths by the number of CTAs that use the link. @default the same for any number */
  readonly byCtas?: SimByCtas;
  readonly storesByCtas?: SimByCtas;
  /**
   * Nanoseconds by which the last flag of so many CTAs arrives after that of one. The first flags
   * of a launch are left out: `launchByCtas` includes them.
   * @default none
   */
  readonly flagsByCtas?: SimByCtas;
}

/** The cost of the network. */
export interface SimNetworkCost extends SimLinkCost {
  /** The nanoseconds that a request costs the posting CTA and the sending NIC. */
  readonly messageTime?: number;
}

/**
 * Costs in simulated time, in nanoseconds. The defaults model one of eight H200 GPUs;
 * `docs/timeline.md` lists their sources.
 */
export interface SimTraceOptions {
  /**
   * The time from the end of the stream's previous work until the CTAs of a launch start.
   * @default 4000
   */
  readonly launchLatency?: number;
  /** Nanoseconds by which a launch of so many CTAs takes longer. @default none */
  readonly launchByCtas?: SimByCtas;
  /**
   * Nanoseconds by which a launch takes longer that may not begin before the one before it has
   * ended.
   * @default 0
   */
  readonly launchPlain?: number;
  /**
   * Nanoseconds by which launches of so many ranks that wait for each other take longer than those
   * of two ranks.
   * @default none
   */
  readonly launchByRanks?: SimByRanks;
  /**
   * The time of an instruction of a warp, which mostly needs the one before it.
   * @default 0
   */
  readonly issueTime?: number;
  /**
   * The time that a warp takes from the end of a wait to its next access.
   * @default 20
   */
  readonly stepTime?: number;
  /**
   * The time that a synchronization of the threads of a CTA takes after the last one arrives.
   * @default 30
   */
  readonly syncTime?: number;
  /**
   * The least time of a fence or a release. It ends when earlier stores have been acknowledged.
   * @default 20
   */
  readonly fenceTime?: number;
  /**
   * The same if several warps of a CTA fence at one point.
   * @default `fenceTime`
   */
  readonly ctaFenceTime?: number;
  /**
   * Nanoseconds by which such fences of so many CTAs at once take longer.
   * @default none
   */
  readonly fenceByCtas?: SimByCtas;
  /**
   * The same if several warps of each CTA fence.
   * @default none
   */
  readonly ctaFenceByCtas?: SimByCtas;
  /**
   * The time that a synchronization of the CTAs of a cluster takes after the last one arrives.
   * @default `syncTime`
   */
  readonly clusterTime?: number;
  /**
   * The least time of a fence or a release whose scope is the device or a cluster. Those of a CTA
   * take no time.
   * @default `fenceTime`
   */
  readonly deviceFenceTime?: number;
  /**
   * The same if several warps of a CTA fence at one point.
   * @default `ctaFenceTime`, or `deviceFenceTime` if that is given
   */
  readonly deviceCtaFenceTime?: number;
  /**
   * The longest time for which such a fence waits for an earlier store, also for one to a peer.
   * @default until the store is acknowledged
   */
  readonly deviceStoreTime?: number;
  /**
   * The largest number of bytes per nanosecond that one CTA moves to and from peers. The CTAs of a
   * launch share the bandwidth of memory and NVLink evenly.
   * @default 65
   */
  readonly ctaBandwidth?: number;
  /**
   * The costs of the rank's own memory. `latency` is that of a load.
   * @default { latency: 600, cachedLatency: 270, bandwidth: 3800, ctaBandwidth: 100,
   *   cacheBytes: 5e7 }
   */
  readonly memory?: SimMemoryCost;
  /**
   * The costs between ranks that can load and store each other's memory. `latency` is the time from
   * a store until a peer's poll can see it.
   * @default { latency: 480, loadLatency: 960, bandwidth: 335, storeBandwidth: 364 }
   */
  readonly nvlink?: SimNvlinkCost;
  /**
   * The costs of each rank's NIC. `latency` is that of one direction.
   * @default { latency: 2000, bandwidth: 50, messageTime: 200 }
   */
  readonly network?: SimNetworkCost;
}

/** `SimTraceOptions` with every default filled in. */
export interface CostModel {
  readonly launchLatency: number;
  readonly launchByCtas: SimByCtas;
  readonly launchPlain: number;
  readonly launchByRanks: SimByRanks;
  readonly issueTime: number;
  readonly stepTime: number;
  readonly syncTime: number;
  readonly fenceTime: number;
  readonly ctaFenceTime: number;
  readonly fenceByCtas: SimByCtas;
  readonly ctaFenceByCtas: SimByCtas;
  readonly clusterTime: number;
  readonly deviceFenceTime: number;
  readonly deviceCtaFenceTime: number;
  readonly deviceStoreTime: number;
  readonly ctaBandwidth: number;
  readonly memory: Required<SimMemoryCost>;
  readonly nvlink: Required<SimNvlinkCost>;
  readonly network: Required<SimNetworkCost>;
}

/**
 * Longer than any duration in a trace, yet so small that sums of doubles still resolve nanoseconds.
 */
const LONGEST = 1e9;

const none: SimByCtas = Object.freeze([]);

const memoryCost: Required<SimMemoryCost> = Object.freeze({
  latency: 600,
  cachedLatency: 270,
  atomicLatency: 270,
  bandwidth: 3800,
  ctaBandwidth: 100,
  ctaStoreBandwidth: 100,
  cacheBytes: 5e7,
});

const nvlinkCost: Required<SimNvlinkCost> = Object.freeze({
  latency: 480,
  loadLatency: 960,
  storeLatency: 960,
  atomicLatency: 960,
  bandwidth: 335,
  storeBandwidth: 364,
  byCtas: none,
  storesByCtas: none,
  flagsByCtas: none,
});

const defaults: CostModel = Object.freeze({
  launchLatency: 4000,
  launchByCtas: none,
  launchPlain: 0,
  launchByRanks: none,
  issueTime: 0,
  stepTime: 20,
  syncTime: 30,
  fenceTime: 20,
  ctaFenceTime: 20,
  fenceByCtas: none,
  ctaFenceByCtas: none,
  clusterTime: 30,
  deviceFenceTime: 20,
  deviceCtaFenceTime: 20,
  deviceStoreTime: LONGEST,
  ctaBandwidth: 65,
  memory: memoryCost,
  nvlink: nvlinkCost,
  network: Object.freeze({ latency: 2000, bandwidth: 50, messageTime: 200 }),
});

/** Fills in the defaults. @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible values. */
export function resolveTrace(given: boolean | SimTraceOptions): CostModel | undefined {
  if (typeof given === 'boolean') return given ? defaults : undefined;
  const resolved = numbersOf(given, defaults, 'trace');
  // If only one of two costs is given, derive the other one from it.
  const { memory = {}, nvlink = {} } = given;
  const ofCta = given.ctaFenceTime ?? given.fenceTime ?? resolved.ctaFenceTime;
  const device = given.deviceFenceTime ?? resolved.fenceTime;
  const { latency, loadLatency = latency === undefined ? undefined : 2 * latency } = nvlink;
  const { cachedLatency, ctaBandwidth } = memory;
  return Object.freeze({
    ...resolved,
    ctaFenceTime: ofCta,
    clusterTime: given.clusterTime ?? resolved.syncTime,
    deviceFenceTime: device,
    deviceCtaFenceTime: given.deviceCtaFenceTime ?? given.deviceFenceTime ?? ofCta,
    memory: Object.freeze({
      ...resolved.memory,
      ...(cachedLatency !== undefined && memory.atomicLatency === undefined && { atomicLatency: cachedLatency }),
      ...(ctaBandwidth !== undefined && memory.ctaStoreBandwidth === undefined && { ctaStoreBandwidth: ctaBandwidth }),
    }),
    nvlink: Object.freeze({
      ...resolved.nvlink,
      ...(loadLatency !== undefined && { loadLatency }),
      ...(loadLatency !== undefined && nvlink.storeLatency === undefined && { storeLatency: loadLatency }),
      ...(loadLatency !== undefined && nvlink.atomicLatency === undefined && { atomicLatency: loadLatency }),
      ...(nvlink.bandwidth !== undefined &&
        nvlink.storeBandwidth === undefined && { storeBandwidth: nvlink.bandwidth }),
    }),
  });
}

/** Returns the value of a table for a key, or `otherwise` if the table is empty. */
export function valueAt(table: SimByCtas, key: number, otherwise: number): number {
  let below: readonly [number, number] | undefined;
  for (const pair of table) {
    if (pair[0] >= key) {
      if (below === undefined) return pair[1];
      const part = Math.log(key / below[0]) / Math.log(pair[0] / below[0]);
      return below[1] + part * (pair[1] - below[1]);
    }
    below = pair;
  }
  return below === undefined ? otherwise : below[1];
}

/** Returns `defaults` with the values of `given` in their place, member by member. */
function numbersOf<T extends object>(given: unknown, known: T, name: string): T {
  if (typeof given !== 'object' || given === null) throw refusal(name, 'an object', given);
  const requested = new Map<string, unknown>(Object.entries(given));
  const strange = [...requested.keys()].some((key) => !Object.hasOwn(known, key));
  if (strange) throw refusal(name, `an object of ${Object.keys(known).join(', ')}`, given);
  const filled = Object.entries(known).map(([key, before]: [string, unknown]): readonly [string, unknown] => {
    const value = requested.get(key);
    if (value === undefined) return [key, before];
    const path = `${name}.${key}`;
    if (Array.isArray(before)) return [key, tableOf(path, value)];
    return [key, typeof before === 'object' && before !== null ? numbersOf(value, before, path) : number(path, value)];
  });
  return Object.freeze({ ...known, ...Object.fromEntries(filled) });
}

function tableOf(path: string, value: unknown): SimByCtas {
  const isPair = (one: unknown, i: number, all: readonly unknown[]): one is readonly [number, number] => {
    const ctas = partOf(one, 0);
    const least = i === 0 ? 0 : partOf(all[i - 1], 0);
    return typeof ctas === 'number' && typeof least === 'number' && ctas > least && isCost(partOf(one, 1));
  };
  if (Array.isArray(value) && value.every(isPair)) return Object.freeze([...value]);
  throw refusal(path, 'pairs of a number and its value, by that number', value);
}

function partOf(pair: unknown, part: 0 | 1): unknown {
  return Array.isArray(pair) && pair.length === 2 ? Reflect.get(pair, part) : undefined;
}

function isCost(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LONGEST;
}

function number(path: string, value: unknown): number {
  const rate = path.toLowerCase().endsWith('bandwidth');
  if (isCost(value) && (!rate || value >= 1 / LONGEST)) return value;
  throw refusal(path, rate ? 'bytes per nanosecond, more than 0' : `nanoseconds from 0 to ${LONGEST}`, value);
}

function refusal(name: string, allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `${name} must be ${allowed}; given ${showValue(given)}.`);
}
