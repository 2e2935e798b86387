import type { Shadow } from './shadow.ts';

/** How far below a word's value the search for the least satisfying value goes. */
const FARTHEST = 4096n;

/** A read with which a wait ends or times out. */
export interface WaitRead {
  readonly thread: number;
  readonly shadow: Shadow;
  readonly address: number;
  readonly site: number;
}

/** The values of a word that a wait accepts. */
export interface Want {
  /**
   * True if a value satisfies the wait for all contents of other words. Absent if that depends on
   * them.
   */
  readonly accepts?: ((bits: bigint) => boolean) | undefined;
  /** True if all values satisfy it. */
  readonly isAny?: boolean | undefined;
  /** The least value that satisfies it, if all higher values do as well. */
  readonly least?: bigint | undefined;
  /** True if the thread uses the value afterwards. */
  readonly isUsedAfter: boolean;
  /** For a wait with a timeout: true if its condition was reached. */
  readonly reached?: boolean | undefined;
  /** True if it waits only for this word. */
  readonly isAlone: boolean;
}

/**
 * True if a value of a word of this size in bytes satisfies a wait. `undefined` if that is unknown.
 */
export function holds({ accepts, least }: Want, value: bigint | undefined, bytes: number): boolean | undefined {
  if (value === undefined) return undefined;
  if (accepts !== undefined) return accepts(value);
  return least === undefined ? undefined : difference(value, least, bytes) >= 0n;
}

/**
 * Returns the same want, with a least value if it is for increasing values. It is so if `value`,
 * the current contents, satisfies the wait, and so do some values far above it. Both forms give the
 * same results.
 */
export function withLeast(want: Want, value: bigint | undefined, bytes: number): Want {
  const { accepts, least, isAny } = want;
  // For any value, the search below would always reach its end.
  if (isAny === true || accepts === undefined || least !== undefined || value === undefined) return want;
  const bits = 8 * bytes;
  const passes = (bit: bigint): boolean => accepts(BigInt.asUintN(bits, bit));
  for (let above = 0; above < bits - 1; above += 8) if (!passes(value + (1n << BigInt(above)))) return want;
  let lowest = value;
  while (value - lowest < FARTHEST && passes(lowest - 1n)) lowest--;
  // All but a few values satisfy the wait, so it is not for increasing values.
  if (value - lowest === FARTHEST) return want;
  return { ...want, least: BigInt.asUintN(bits, lowest) };
}

/** True if the wait cannot have ended without this read. */
export function endsByValue({ accepts, isAny, reached, isAlone }: Want): boolean {
  return isAny !== true && reached !== false && (isAlone || accepts !== undefined);
}

/** `a - b`, wrapped around for words of this size in bytes. */
export function difference(a: bigint, b: bigint, bytes: number): bigint {
  return BigInt.asIntN(8 * bytes, a - b);
}
