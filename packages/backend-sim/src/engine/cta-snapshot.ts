import type { Cta } from '@nccl-ts/codegen';
import { Pace } from '../schedule/pace.ts';

/** An array of numbers, which is copied and compared as a whole. */
type Numbers = Uint8Array | BigInt64Array | BigUint64Array;

/** A copy of a value; a `handle` is an object that is only compared by identity. */
type Copied = number | bigint | boolean | string | null | undefined | Numbers | readonly Copied[] | { handle: object };

/** A range of clock values, starting at the first. They do not distinguish states. */
export interface ClockRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** A copy of all state that affects a CTA's future. */
export type CtaSnapshot = readonly Copied[];

/**
 * Returns a copy of all state that affects a CTA's future; `undefined` if its program keeps state
 * in an unreadable form.
 */
export function snapshotOf(state: Cta): CtaSnapshot | undefined {
  return isReadable(state) ? partsOf(state).map((value) => copyOf(value)) : undefined;
}

/** True if a CTA's state equals a copy, except for values read from the clock. */
export function isStateOf(snapshot: CtaSnapshot, state: Cta, clock: ClockRange): boolean {
  return isReadable(state) && isEach(snapshot, partsOf(state), clock);
}

function isReadable(state: Cta): boolean {
  return Object.getPrototypeOf(state) === Object.prototype;
}

function partsOf(state: Cta): readonly unknown[] {
  return Object.entries(state)
    .filter(([name]) => name !== 'identity' && name !== 'trace' && name !== 'watch')
    .map(([, value]: [string, unknown]) => value);
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
  if (value instanceof Pace) return copyOf(value.held);
  return numbersOf(value)?.slice() ?? { handle: value };
}

/** The numbers of an array, or of an object that has several views of one buffer. */
function numbersOf(value: object): Numbers | undefined {
  if (value instanceof BigInt64Array || value instanceof BigUint64Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return 'u8' in value && value.u8 instanceof Uint8Array ? value.u8 : undefined;
}

/** Compares in place, because nearly all states differ, and most of them early. */
function isSame(copy: Copied, value: unknown, clock: ClockRange): boolean {
  if (value instanceof Pace) return isSame(copy, value.held, clock);
  if (typeof copy !== 'object' || copy === null) {
    const now = copyOfSimple(value);
    return Object.is(copy, now) || (isTime(copy, clock) && isTime(now, clock));
  }
  if (typeof value !== 'object' || value === null) return false;
  if (isList(copy)) return Array.isArray(value) && isEach(copy, value, clock);
  if ('handle' in copy) return copy.handle === value;
  const numbers = numbersOf(value);
  return numbers !== undefined && copy.length === numbers.length && areSame(copy, numbers, clock);
}

/** Returns a value that is no object, and null for what cannot be read. */
function copyOfSimple(value: unknown): Copied {
  return typeof value === 'object' ? null : copyOf(value);
}

function isList(copy: object): copy is readonly Copied[] {
  return Array.isArray(copy);
}

function isEach(copies: readonly Copied[], values: readonly unknown[], clock: ClockRange): boolean {
  return copies.length === values.length && copies.every((copy, i) => isSame(copy, values[i], clock));
}

function areSame(a: Numbers, b: Numbers, clock: ClockRange): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !(isTime(a[i], clock) && isTime(b[i], clock))) return false;
  return true;
}

function isTime(value: unknown, { first, last }: ClockRange): boolean {
  return (typeof value === 'bigint' || typeof value === 'number') && value >= first && value <= last;
}
