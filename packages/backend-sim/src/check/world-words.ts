import type { HeapViews } from '@nccl-ts/codegen';
import { wordOfKey, type RememberedWords } from '@nccl-ts/memory-model';

/** The words of all memories of a world: of the heap, and of the shared memory of running CTAs. */
export class WorldWords {
  readonly #heap: () => HeapViews;
  readonly #shared = new Map<number, HeapViews>();
  #count = 0;

  constructor(heap: () => HeapViews) {
    this.#heap = heap;
  }

  /** Returns the number of a CTA's shared memory. Equal runs give equal numbers. */
  open(shared: HeapViews | undefined): number {
    const memory = ++this.#count;
    if (shared !== undefined) this.#shared.set(memory, shared);
    return memory;
  }

  /** Called when a CTA has ended. */
  close(memory: number): void {
    this.#shared.delete(memory);
  }

  /** These words, for their history; `undefined` if there are none. */
  remembered(words: ReadonlySet<number> | undefined): RememberedWords | undefined {
    return words === undefined || words.size === 0 ? undefined : { words, valueOf: this.valueOf };
  }

  /** The current value of a word, unless its memory is gone. */
  readonly valueOf = (key: number): number | undefined => {
    const { memory, word } = wordOfKey(key);
    return (memory === 0 ? this.#heap() : this.#shared.get(memory))?.u32[word];
  };
}

/** The value of a word of 4 or 8 bytes of the heap. */
export function wordAt({ u32, u64 }: HeapViews, address: number, bytes: number): bigint | undefined {
  if (bytes === 8) return u64[address / 8];
  const word = u32[address / 4];
  return bytes === 4 && word !== undefined ? BigInt(word) : undefined;
}
