import { encodeArray, scalarInfo, type ScalarKind, type StorageArrays } from '@nccl-ts/core';
import type { Window } from '@nccl-ts/communicator';
import { scalarArgument } from './scalar-argument.ts';
import { UsageError } from '../usage-error.ts';

/** The content of a window before the first launch. */
export type Fill =
  | { readonly kind: (typeof patterns)[number] }
  | { readonly kind: 'value'; readonly value: number | bigint | boolean };

/**
 * `ramp`: r + (i mod 17) / 16 for floats, r + i mod 17 for integers. `iota`: i. `random`: random,
 * but the same in each run.
 */
export const patterns = ['ramp', 'iota', 'random'] as const;

/** The type of a window's elements, and their initial content. */
export interface WindowContents {
  readonly type: ScalarKind;
  readonly fill: Fill;
}

/** The period of a ramp, in elements. */
const PERIOD = 17;

/**
 * The number of elements that are made at a time: whole periods, so that parts of a ramp are equal.
 */
const CHUNK = PERIOD * 2 ** 14;

/**
 * Parses `--fill name=text`. Without a text, floats get a ramp, and everything else gets zeros,
 * since windows of integers usually hold flags and counters.
 *
 * @throws UsageError if it is neither a pattern nor a value of the type.
 */
export function fillOf(name: string, type: ScalarKind, text: string | undefined): Fill {
  if (text === undefined) {
    return scalarInfo[type].class === 'float' ? { kind: 'ramp' } : { kind: 'value', value: zeroOf(type) };
  }
  const pattern = patterns.find((one) => one === text);
  if (pattern !== undefined) return { kind: pattern };
  try {
    return { kind: 'value', value: scalarArgument(`--fill ${name}`, type, text) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}; or write ${patterns.join(', ')}`);
  }
}

/**
 * Fills all of a rank's window in parts, because filling everything at once would need as much
 * memory again.
 */
export async function fillWindow(win: Window, name: string, { type, fill }: WindowContents): Promise<void> {
  const size = scalarInfo[type].bytes;
  const count = Math.floor(win.bytes / size);
  const valueAt = elementOf(type, fill, name, win.rank);
  const partFrom = (from: number): StorageArrays[ScalarKind] =>
    encodeArray(
      type,
      Array.from({ length: Math.min(CHUNK, count - from) }, (_, i) => valueAt(from + i)),
    );
  const isAlike = fill.kind === 'value' || fill.kind === 'ramp';
  let part = partFrom(0);
  for (let from = 0; from < count; from += CHUNK) {
    if (from > 0 && !isAlike) part = partFrom(from);
    await win.write(part.subarray(0, count - from), from * size);
  }
}

function elementOf(type: ScalarKind, fill: Fill, name: string, rank: number): (i: number) => number | bigint | boolean {
  const fitting = fitted(type);
  switch (fill.kind) {
    case 'value':
      return () => fill.value;
    case 'iota':
      return fitting;
    case 'ramp':
      return scalarInfo[type].class === 'float' ? (i) => rank + (i % PERIOD) / 16 : (i) => fitting(rank + (i % PERIOD));
    case 'random': {
      const bits = randomWords(name, rank);
      if (scalarInfo[type].class === 'float') return () => bits() / 2 ** 31 - 1;
      if (scalarInfo[type].bytes < 8) return () => fitting(bits());
      return () => wrapped(type, BigInt(bits()) * 2n ** 32n + BigInt(bits()));
    }
  }
}

/** Converts a whole number to a value of the type. Integers keep the low bits that fit. */
function fitted(type: ScalarKind): (value: number) => number | bigint | boolean {
  const info = scalarInfo[type];
  switch (info.class) {
    case 'float':
      return (value) => value;
    case 'bool':
      return (value) => value % 2 === 1;
    case 'addr':
      return (value) => value;
    case 'int':
      return (value) => wrapped(type, BigInt(value));
  }
}

function wrapped(type: ScalarKind, value: bigint): number | bigint {
  const { bits, signed } = scalarInfo[type];
  // JavaScript represents an address exactly as a whole number.
  if (type === 'addr') return Number(BigInt.asUintN(53, value));
  const kept = signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  return bits === 64 ? kept : Number(kept);
}

function zeroOf(type: ScalarKind): number | bigint | boolean {
  return fitted(type)(0);
}

/**
 * Returns 32-bit words that look random, and are the same for the same window and rank (splitmix32
 * of a hash of both).
 */
function randomWords(name: string, rank: number): () => number {
  let state = rank + 1;
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let word = state ^ (state >>> 16);
    word = Math.imul(word, 0x21f0aaad);
    word ^= word >>> 15;
    word = Math.imul(word, 0x735a2d97);
    return (word ^ (word >>> 15)) >>> 0;
  };
}
