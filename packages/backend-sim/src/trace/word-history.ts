import { at as itemAt } from '@nccl-ts/core';
import type { FlowPoint } from '@nccl-ts/timeline';
import type { HeapViews } from '../program.ts';

/** A change of a word, as of a simulated time. */
export interface WordChange {
  /** When its rank could see it. */
  readonly time: number;
  /** A new value, or an addend: additions count in any order. */
  readonly kind: 'set' | 'add';
  readonly value: bigint;
  /** The source of the change, if it is to be shown. */
  readonly source: FlowPoint | undefined;
  /** The rank: of changes at one time, that of the highest rank counts as the last. */
  readonly rank: number;
  /** The name of the arrow from there. */
  readonly name: string;
}

/**
 * The largest number of remembered changes of one word; beyond it, the older half is merged into
 * the initial value.
 */
const MOST_CHANGES = 512;

/**
 * The values of one word over simulated time. The actual order of its changes may have been
 * different.
 */
export class WordHistory {
  readonly address: number;
  readonly bytes: number;
  /** Its value after the last actual change. */
  current: bigint;
  /** Its value before all changes. */
  #first: bigint;
  /** By time. */
  readonly #changes: WordChange[] = [];

  constructor(address: number, bytes: number, value: bigint) {
    this.address = address;
    this.bytes = bytes;
    this.current = value;
    this.#first = value;
  }

  get changes(): readonly WordChange[] {
    return this.#changes;
  }

  /** When the last change could be seen. */
  get latest(): number {
    return this.#changes.at(-1)?.time ?? 0;
  }

  add(change: WordChange): void {
    const changes = this.#changes;
    let at = changes.length;
    while (at > 0 && isBefore(change, changes[at - 1])) at--;
    changes.splice(at, 0, change);
    this.current = this.#after(this.current, change);
    if (changes.length <= MOST_CHANGES) return;
    for (const old of changes.splice(0, MOST_CHANGES / 2)) this.#first = this.#after(this.#first, old);
  }

  valueAt(time: number): bigint {
    let value = this.#first;
    for (const change of this.#changes) {
      if (change.time > time) break;
      value = this.#after(value, change);
    }
    return value;
  }

  #after(value: bigint, { kind, value: operand }: WordChange): bigint {
    return BigInt.asUintN(8 * this.bytes, kind === 'set' ? operand : value + operand);
  }
}

/** True if one change comes before another one, whichever was really made first. */
export function isBefore(a: WordChange, b: WordChange | undefined): boolean {
  return b !== undefined && (a.time < b.time || (a.time === b.time && a.rank < b.rank));
}

/** The bytes from `address` on as one number. */
export function readWord({ u8, u32, u64 }: HeapViews, address: number, bytes: number): bigint {
  if (bytes === 4 && address % 4 === 0) return BigInt(itemAt(u32, address / 4));
  if (bytes === 8 && address % 8 === 0) return itemAt(u64, address / 8);
  let value = 0n;
  for (let i = bytes - 1; i >= 0; i--) value = (value << 8n) | BigInt(itemAt(u8, address + i));
  return value;
}

export function writeWord({ u8 }: HeapViews, address: number, bytes: number, value: bigint): void {
  let rest = value;
  for (let i = 0; i < bytes; i++, rest >>= 8n) u8[address + i] = Number(rest & 0xffn);
}
