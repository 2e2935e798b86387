import { at } from '@nccl-ts/core';
import type { Who } from './clock.ts';

/** A write by its thread and time. */
export interface ChainedWrite {
  readonly who: Who;
  readonly stamp: number;
}

/** The number of writes before the last one that count. */
const KEPT = 255;
/** The number of writes after which a chain is continued by a new one. */
const LONGEST = 4096;

/**
 * A write of a word, and the earlier ones of its chain: each is a read-modify-write that has read
 * the one before. The writes of a chain are in one list, which its later writes share.
 */
export class UpdateChain {
  readonly #writes: ChainedWrite[];
  readonly #length: number;

  private constructor(writes: ChainedWrite[]) {
    this.#writes = writes;
    this.#length = writes.length;
  }

  /** A chain that ends with `write`, after those of `before`. */
  static of(write: ChainedWrite, before?: UpdateChain): UpdateChain {
    if (before === undefined) return new UpdateChain([write]);
    const isShared = before.#writes.length === before.#length && before.#length < LONGEST;
    const writes = isShared ? before.#writes : [...before];
    writes.push(write);
    return new UpdateChain(writes);
  }

  /** The last write of the chain. */
  get last(): ChainedWrite {
    return at(this.#writes, this.#length - 1);
  }

  /** The last writes, oldest first. */
  *[Symbol.iterator](): IterableIterator<ChainedWrite> {
    for (let i = Math.max(0, this.#length - 1 - KEPT); i < this.#length; i++) yield at(this.#writes, i);
  }
}
