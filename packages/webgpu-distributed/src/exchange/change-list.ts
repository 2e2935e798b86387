import { at } from '@nccl-ts/core';

/**
 * The words that a device has changed, as 32-bit numbers. Each word has an address, its new value,
 * and a mask of its changed bytes. Neighbours most of which have changed form blocks.
 */
export interface ChangeList {
  /** One entry of `ENTRY_WORDS` words per change: the address, the value, the mask of 4 bits. */
  readonly entries: Uint32Array<ArrayBuffer>;
  /**
   * One entry of `BLOCK_STRIDE` words per block: the address, the number of words, their masks of 4
   * bits, and their values.
   */
  readonly blocks: Uint32Array<ArrayBuffer>;
}

export const ENTRY_WORDS = 3;

/** The largest number of words that a block covers. */
export const BLOCK_WORDS = 256;

const BLOCK_BYTES = BLOCK_WORDS * 4;

/** The position of a block's values: after the head and the bits. */
export const BLOCK_VALUES: number = 2 + BLOCK_WORDS / 8;

export const BLOCK_STRIDE: number = BLOCK_VALUES + BLOCK_WORDS;

/**
 * A block with at most this many changed words is sent as single words, which then take less room.
 */
export const MOST_ENTRIES = 96;

export function isEmpty({ entries, blocks }: ChangeList): boolean {
  return entries.length + blocks.length === 0;
}

export function bytesOf({ entries, blocks }: ChangeList): number {
  return entries.byteLength + blocks.byteLength;
}

/**
 * True if both lists may have changed the same word. It may also be true if they have only changed
 * neighbouring words.
 */
export function mayOverlap(one: ChangeList, other: ChangeList): boolean {
  const touched = new Set(touchedPieces(one));
  for (const piece of touchedPieces(other)) if (touched.has(piece)) return true;
  return false;
}

/** Numbers of the block-sized pieces of memory that contain the changes. */
function* touchedPieces({ entries, blocks }: ChangeList): Generator<number> {
  for (let i = 0; i < entries.length; i += ENTRY_WORDS) yield Math.floor(at(entries, i) / BLOCK_BYTES);
  for (let i = 0; i < blocks.length; i += BLOCK_STRIDE) {
    const begin = at(blocks, i);
    const last = begin + at(blocks, i + 1) * 4 - 4;
    for (let piece = Math.floor(begin / BLOCK_BYTES); piece <= Math.floor(last / BLOCK_BYTES); piece++) yield piece;
  }
}
