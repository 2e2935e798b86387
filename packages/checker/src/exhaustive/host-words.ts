import type { ByteRange } from '@nccl-ts/memory-model';

/** The bytes that hosts and the network copy in one access. */
const WORD = 4;

/** The number of the aligned word at an address. */
export function wordOf(at: number): number {
  return Math.floor(at / WORD);
}

/** Splits a range of bytes into aligned words. The first and the last may be partial. */
export function hostWords(at: number, bytes: number): readonly ByteRange[] {
  const words: ByteRange[] = [];
  for (let first = at; first < at + bytes;) {
    const end = Math.min(at + bytes, (wordOf(first) + 1) * WORD);
    words.push({ at: first, bytes: end - first });
    first = end;
  }
  return words;
}
