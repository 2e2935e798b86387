import type { Cta } from '@nccl-ts/codegen';
import { Pace } from '../schedule/pace.ts';

/** Elements as they are in memory. A list of numbers would take many times as long to copy. */
type Elements = Uint8Array | BigInt64Array | BigUint64Array;

type Copied =
  | number
  | bigint
  | boolean
  | string
  | null
  | undefined
  | Elements
  | readonly Copied[]
  | { readonly handle: object };

/** A range of clock values, starting at the first. They do not distinguish states. */
export interface ClockRange {
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Returns a copy of all state that affects a CTA's future; `undefined` if its program keeps state
 * in an unreadable form.
 */
export function snapshotOf(state: Cta): Copied | undefined {
  if (Object.getPrototypeOf(state) !== Object.prototype) return undefined;
  return Object.entries(state)
    .filter(([name]) => name !== 'identity' && name !== 'trace' && name !== 'watch')
    .map(([, value]: [string, unknown]) => copyOf(value));
}

function copyOf(value: unknown): Copied {
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'string':
    case 'undefined':
      return value;
    default:
      return value === null || typeof value !== 'object' ? null : copyOfObject(value);
  }
}

function copyOfObject(value: object): Copied {
  if (Array.isArray(value)) return value.map((one: unknown) => copyOf(one));
  if (value instanceof BigInt64Array || value instanceof BigUint64Array) return value.slice();
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  if (value instanceof Pace) return value.held;
  // Arrays of the kernel are several views of one buffer.
  if ('u8' in value && value.u8 instanceof Uint8Array) return value.u8.slice();
  return { handle: value };
}

/** True if two states are equal, except for values read from the clock. */
export function sameState(a: Copied, b: Copied, clock: ClockRange): boolean {
  if (Object.is(a, b)) return true;
  if (isElements(a) && isElements(b)) return haveSameElements(a, b, clock);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one: Copied, i) => sameState(one, copyAt(b, i), clock));
  }
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null && 'handle' in a && 'handle' in b) {
    return a.handle === b.handle;
  }
  return isTime(a, clock) && isTime(b, clock);
}

function isElements(value: Copied): value is Elements {
  return value instanceof Uint8Array || value instanceof BigInt64Array || value instanceof BigUint64Array;
}

function haveSameElements(a: Elements, b: Elements, clock: ClockRange): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const one = a[i];
    const other = b[i];
    if (one !== other && !(isTime(one, clock) && isTime(other, clock))) return false;
  }
  return true;
}

function copyAt(list: readonly Copied[], i: number): Copied {
  return list[i];
}

function isTime(value: Copied, { first, last }: ClockRange): boolean {
  return (typeof value === 'bigint' || typeof value === 'number') && value >= first && value <= last;
}
