import { at } from '@nccl-ts/core';
import type { KernelArg } from '@nccl-ts/transport';
import type { WebgpuAddressSpace } from '../memory/address-space.ts';
import { devCommOf, windowOf } from '../memory/world-memory.ts';
import type { WordRange } from './memory-exchange.ts';

/**
 * Yields the memory that a kernel of `rank` may write through these arguments: the copies of
 * windows at all peers that it can access.
 */
export function* writtenRanges(
  args: readonly KernelArg[],
  rank: number,
  space: WebgpuAddressSpace,
): Generator<WordRange> {
  for (const arg of args) {
    switch (arg.kind) {
      case 'scalar':
      case 'vector':
        break;
      case 'pointer': {
        const { low, high } = space.regions;
        const { region } = space.pointerOf(rank, arg.address);
        yield* wordRange(at(low, region), at(high, region));
        break;
      }
      case 'window':
      case 'devComm': {
        const window = arg.kind === 'window' ? windowOf(arg.window) : devCommOf(arg.devComm).resources;
        for (const base of window.valueAt(rank).bases) yield* wordRange(base, base + window.bytes);
      }
    }
  }
}

/** Returns the same words in ascending order, each once. */
export function merged(ranges: Iterable<WordRange>): readonly WordRange[] {
  const result: { address: number; words: number }[] = [];
  for (const { address, words } of [...ranges].sort((a, b) => a.address - b.address)) {
    const last = result.at(-1);
    const end = last === undefined ? -1 : last.address + last.words * 4;
    if (last === undefined || address > end) result.push({ address, words });
    else last.words = Math.max(last.words, (address - last.address) / 4 + words);
  }
  return result;
}

function* wordRange(low: number, high: number): Generator<WordRange> {
  const address = Math.floor(low / 4) * 4;
  const words = Math.ceil((high - address) / 4);
  if (words > 0) yield { address, words };
}
