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
  /** The nanoseconds of a load that hits the L2 cache, such as a poll. */
  readonly cachedLatency?: number;
  /** The largest number of bytes per nanosecond that one CTA moves. */
  readonly ctaBandwidth?: number;
}

/** The cost of the links between ranks that can load and store each other's memory. */
export interface SimNvlinkCost extends SimLinkCost {
  /** The nanoseconds of a load, for the round trip. @default twice `latency` */
  readonly loadLatency?: number;
  /** The bandwidth of stores in bytes per nanosecond; `bandwidth` is that of loads. */
  readonly storeBandwidth?: number;
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
   * The time that a release takes after the earlier stores have been acknowledged.
   * @default 20
   */
  readonly fenceTime?: number;
  /**
   * The largest number of bytes per nanosecond that one CTA moves to and from peers. The CTAs of a
   * launch share the bandwidth of memory and NVLink evenly.
   * @default 65
   */
  readonly ctaBandwidth?: number;
  /**
   * The costs of the rank's own memory. `latency` is that of a load.
   * @default { latency: 600, cachedLatency: 270, bandwidth: 3800, ctaBandwidth: 100 }
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
  readonly stepTime: number;
  readonly syncTime: number;
  readonly fenceTime: number;
  readonly ctaBandwidth: number;
  readonly memory: Required<SimMemoryCost>;
  readonly nvlink: Required<SimNvlinkCost>;
  readonly network: Required<SimNetworkCost>;
}

/**
 * Longer than any duration in a trace, yet so small that sums of doubles still resolve nanoseconds.
 */
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

/** Fills in the defaults. @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible values. */
export function resolveTrace(given: boolean | SimTraceOptions): CostModel | undefined {
  if (typeof given === 'boolean') return given ? defaults : undefined;
  const resolved = numbersOf(given, defaults, 'trace');
  const nvlink = typeof given === 'object' ? given.nvlink : undefined;
  // If only one direction's cost is given, derive the other one from it.
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

/** Returns `defaults` with the values of `given` in their place, member by member. */
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
