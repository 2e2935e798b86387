import { describeWord, type LocatedWord, type WordMeaning } from '@nccl-ts/findings';
import type { HeapViews } from '@nccl-ts/codegen';
import { wordKey, wordOfKey, type RememberedWords, type Epochs, type ValueOfWord } from '@nccl-ts/memory-model';
import { WordStories, type StoryWord } from './story/word-stories.ts';

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

/** The value of a word of 4 or 8 bytes of the heap, or of 4 bytes of shared memory. */
function storyValue({ shadow, address, bytes }: StoryWord, heap: HeapViews, valueOf: ValueOfWord): bigint | undefined {
  if (shadow.number === 0) return wordAt(heap, address, bytes);
  const value = bytes === 4 ? valueOf(wordKey(shadow, address)) : undefined;
  return value === undefined ? undefined : BigInt(value);
}

/** Describes a word of the heap, or of shared memory. */
function storyPlace({ shadow, address }: StoryWord, locate: (address: number) => LocatedWord | undefined): WordMeaning {
  const space = shadow.number === 0 ? 'global' : 'shared';
  return describeWord({ address, region: 0, space, type: 'u32', value: 0 }, () => locate(address));
}

/** Makes the stories of the words of a world. */
export function storiesOf(
  world: {
    readonly views: () => HeapViews;
    readonly locate: (address: number) => LocatedWord | undefined;
    readonly storyEvents?: number | undefined;
  },
  words: WorldWords,
  epochs: () => Epochs,
): WordStories {
  return new WordStories(
    (word) => storyValue(word, world.views(), words.valueOf),
    (word) => storyPlace(word, world.locate),
    epochs,
    world.storyEvents ?? Infinity,
  );
}
