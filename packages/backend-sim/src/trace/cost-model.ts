import { NcclError, showValue } from '@nccl-ts/core';

/** The cost of one path to memory. */
export interface SimLinkCost {
  /** In nanoseconds. */
  readonly latency?: number;
  /** In bytes per nanosecond, which is GB/s. */
  readonly bandwidth?: number;
}

/** The cost of a GPU's own memory. */
export interface SimMemoryCost extends SimLinkCost {
  /** Nanoseconds of a load that the L2 cache answers, such as a poll. */
  readonly cachedLatency?: number;
  /** The most bytes per nanosecond that one CTA moves. */
  readonly ctaBandwidth?: number;
}

/** The cost of the links between ranks that can load and store each other's memory. */
export interface SimNvlinkCost extends SimLinkCost {
  /** Nanoseconds of a load, both ways. @default twice `latency` */
  readonly loadLatency?: number;
  /** In bytes per nanosecond, of stores; `bandwidth` is that of loads. */
  readonly storeBandwidth?: number;
}

/** The cost of the network. */
export interface SimNetworkCost extends SimLinkCost {
  /** Nanoseconds that a request costs the posting CTA, and the sending NIC. */
  readonly messageTime?: number;
}

/**
 * The costs in simulated time. Times are in nanoseconds. The defaults are for one of eight H200
 * GPUs; `docs/timeline.md` has their sources.
 */
export interface SimTraceOptions {
  /**
   * The time from the end of the stream's previous work until the CTAs of a launch begin.
   * @default 4000
   */
  readonly launchLatency?: number;
  /**
   * The time of a warp from a wait to its next access.
   * @default 20
   */
  readonly stepTime?: number;
  /**
   * The time in which the threads of a CTA meet, after the last one has come.
   * @default 30
   */
  readonly syncTime?: number;
  /**
   * The time of a release, after the earlier stores have been acknowledged.
   * @default 20
   */
  readonly fenceTime?: number;
  /**
   * The most bytes per nanosecond that one CTA moves to and from peers; CTAs of a launch share the
   * bandwidths of memory and NVLink evenly.
   * @default 65
   */
  readonly ctaBandwidth?: number;
  /**
   * The rank's own memory; `latency` is that of a load.
   * @default { latency: 600, cachedLatency: 270, bandwidth: 3800, ctaBandwidth: 100 }
   */
  readonly memory?: SimMemoryCost;
  /**
   * Between ranks that can load and store each other's memory; `latency` is that of a store until
   * a peer's poll can see it.
   * @default { latency: 480, loadLatency: 960, bandwidth: 335, storeBandwidth: 364 }
   */
  readonly nvlink?: SimNvlinkCost;
  /**
   * Each rank's NIC; `latency` is that of one direction.
   * @default { latency: 2000, bandwidth: 50, messageTime: 200 }
   */
  readonly network?: SimNetworkCost;
}

/** `SimTraceOptions` with every default filled in. */
export interface CostModel {
  readonly launchLatency: number;
  readonly stepTime: number;
  readonly syncTime: number;
  readonly fenceTime: number;
  readonly ctaBandwidth: number;
  readonly memory: Required<SimMemoryCost>;
  readonly nvlink: Required<SimNvlinkCost>;
  readonly network: Required<SimNetworkCost>;
}

/** Longer than anything here lasts; keeps sums far from where doubles lose nanoseconds. */
const LONGEST = 1e9;

const defaults: CostModel = Object.freeze({
  launchLatency: 4000,
  stepTime: 20,
  syncTime: 30,
  fenceTime: 20,
  ctaBandwidth: 65,
  memory: Object.freeze({ latency: 600, cachedLatency: 270, bandwidth: 3800, ctaBandwidth: 100 }),
  nvlink: Object.freeze({ latency: 480, loadLatency: 960, bandwidth: 335, storeBandwidth: 364 }),
  network: Object.freeze({ latency: 2000, bandwidth: 50, messageTime: 200 }),
});

/** Fills in the defaults. Throws `NCCL_INVALID_ARGUMENT` for impossible values. */
export function resolveTrace(given: boolean | SimTraceOptions): CostModel | undefined {
  if (typeof given === 'boolean') return given ? defaults : undefined;
  const resolved = numbersOf(given, defaults, 'trace');
  const nvlink = typeof given === 'object' ? given.nvlink : undefined;
  // Where only one direction's cost is given, the other one's follows.
  return Object.freeze({
    ...resolved,
    nvlink: Object.freeze({
      ...resolved.nvlink,
      ...(nvlink?.latency !== undefined && nvlink.loadLatency === undefined && { loadLatency: 2 * nvlink.latency }),
      ...(nvlink?.bandwidth !== undefined &&
        nvlink.storeBandwidth === undefined && { storeBandwidth: nvlink.bandwidth }),
    }),
  });
}

/** `defaults` with the values of `given` instead, part by part. */
function numbersOf<T extends object>(given: unknown, known: T, name: string): T {
  if (typeof given !== 'object' || given === null) throw refusal(name, 'an object', given);
  const asked = new Map<string, unknown>(Object.entries(given));
  const strange = [...asked.keys()].some((key) => !Object.hasOwn(known, key));
  if (strange) throw refusal(name, `an object of ${Object.keys(known).join(', ')}`, given);
  const filled = Object.entries(known).map(([key, before]: [string, unknown]): readonly [string, unknown] => {
    const value = asked.get(key);
    if (value === undefined) return [key, before];
    const path = `${name}.${key}`;
    return [key, typeof before === 'object' && before !== null ? numbersOf(value, before, path) : number(path, value)];
  });
  return Object.freeze({ ...known, ...Object.fromEntries(filled) });
}

function number(path: string, value: unknown): number {
  const rate = path.toLowerCase().endsWith('bandwidth');
  if (typeof value === 'number' && value <= LONGEST && (rate ? value >= 1 / LONGEST : value >= 0)) return value;
  throw refusal(path, rate ? 'bytes per nanosecond, more than 0' : `nanoseconds from 0 to ${LONGEST}`, value);
}

function refusal(name: string, allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `${name} must be ${allowed}; given ${showValue(given)}.`);
}
