import { NcclError, showValue } from '@nccl-ts/core';

/** The cost of one path to memory. */
export interface SimLinkCost {
  /** In nanoseconds. */
  readonly latency?: number;
  /** In bytes per nanosecond, which is GB/s. */
  readonly bandwidth?: number;
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
   * The time of a CTA from one wait to the next besides its accesses to memory.
   * @default 100
   */
  readonly stepTime?: number;
  /**
   * The most bytes per nanosecond that one CTA moves; CTAs of a launch share the bandwidths of
   * memory and NVLink evenly.
   * @default 65
   */
  readonly ctaBandwidth?: number;
  /**
   * The rank's own memory; `latency` is that of a load.
   * @default { latency: 600, bandwidth: 3800 }
   */
  readonly memory?: SimLinkCost;
  /**
   * Between ranks that can load and store each other's memory; `latency` is that of one direction:
   * a load takes two.
   * @default { latency: 650, bandwidth: 370 }
   */
  readonly nvlink?: SimLinkCost;
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
  readonly ctaBandwidth: number;
  readonly memory: Required<SimLinkCost>;
  readonly nvlink: Required<SimLinkCost>;
  readonly network: Required<SimNetworkCost>;
}

/** Longer than anything here lasts; keeps sums far from where doubles lose nanoseconds. */
const LONGEST = 1e9;

const defaults: CostModel = Object.freeze({
  launchLatency: 4000,
  stepTime: 100,
  ctaBandwidth: 65,
  memory: Object.freeze({ latency: 600, bandwidth: 3800 }),
  nvlink: Object.freeze({ latency: 650, bandwidth: 370 }),
  network: Object.freeze({ latency: 2000, bandwidth: 50, messageTime: 200 }),
});

/** Fills in the defaults. Throws `NCCL_INVALID_ARGUMENT` for impossible values. */
export function resolveTrace(given: boolean | SimTraceOptions): CostModel | undefined {
  if (typeof given === 'boolean') return given ? defaults : undefined;
  return numbersOf(given, defaults, 'trace');
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
