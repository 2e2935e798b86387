import type { Shadow } from './shadow.ts';

/** The distance below a word's value to which the search for the least passing value goes. */
const FARTHEST = 4096n;

/** A read by which a wait passes or times out. */
export interface WaitRead {
  readonly thread: number;
  readonly shadow: Shadow;
  readonly address: number;
  readonly site: number;
}

/** The values of a word that a wait accepts. */
export interface Want {
  /**
   * True if a value lets it pass, for all contents of other words; absent if that depends on them.
   */
  readonly accepts?: ((bits: bigint) => boolean) | undefined;
  /** True if all values do. */
  readonly isAny?: boolean | undefined;
  /** The least value that lets it pass, if all values above it do as well. */
  readonly least?: bigint | undefined;
  /** True if the value read is used afterwards. */
  readonly isKept: boolean;
  /** For a wait with a timeout: true if its condition was reached. */
  readonly reached?: boolean | undefined;
  /** True if it waits for this word and for no other. */
  readonly isAlone: boolean;
}

/**
 * True if a value of a word of this size in bytes lets a wait pass; `undefined` if it is unknown.
 */
export function holds({ accepts, least }: Want, value: bigint | undefined, bytes: number): boolean | undefined {
  if (value === undefined) return undefined;
  if (accepts !== undefined) return accepts(value);
  return least === undefined ? undefined : difference(value, least, bytes) >= 0n;
}

/**
 * The same want, with a least value if it is for values that rise: `value`, the present contents,
 * passes, and so do some values far above it. The two ways of evaluation give the same results.
 */
export function withLeast(want: Want, value: bigint | undefined, bytes: number): Want {
  const { accepts, least } = want;
  if (accepts === undefined || least !== undefined || value === undefined) return want;
  const bits = 8 * bytes;
  const passes = (bit: bigint): boolean => accepts(BigInt.asUintN(bits, bit));
  for (let above = 0; above < bits - 1; above += 8) if (!passes(value + (1n << BigInt(above)))) return want;
  let lowest = value;
  while (value - lowest < FARTHEST && passes(lowest - 1n)) lowest--;
  // All but some values pass: nothing rises.
  if (value - lowest === FARTHEST) return want;
  return { ...want, least: BigInt.asUintN(bits, lowest) };
}

/** `a - b`, wrapping around for words of this size in bytes. */
export function difference(a: bigint, b: bigint, bytes: number): bigint {
  return BigInt.asIntN(8 * bytes, a - b);
}
