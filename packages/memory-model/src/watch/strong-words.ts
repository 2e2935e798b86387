import type { LoggedWord } from './determinacy.ts';
import { PAGE_WORDS, type Shadow } from './shadow.ts';
import { SyncWords, type SyncWord } from './sync-words.ts';

/** The words of all memories that strong writes went to. A memory is identified by its shadow. */
export class StrongWords {
  readonly #byMemory = new WeakMap<Shadow, SyncWords>();

  /** The words of one memory. */
  of(shadow: Shadow): SyncWords {
    const known = this.#byMemory.get(shadow);
    if (known !== undefined) return known;
    const fresh = new SyncWords();
    this.#byMemory.set(shadow, fresh);
    return fresh;
  }

  /** The word at an address, if it still has the contents of a strong write. */
  at(shadow: Shadow, address: number): SyncWord | undefined {
    const word = this.of(shadow).at(address);
    if (word === undefined) return undefined;
    const cell = cellAt(shadow, word.address);
    return cell === word.id || shadow.epochs(cell).at(-1) === word.id ? word : undefined;
  }

  /** The word with the newest epoch in its cell. */
  logged(shadow: Shadow, address: number, bytes: number): LoggedWord {
    return { shadow, address, bytes, epoch: shadow.epochs(cellAt(shadow, address)).at(-1) ?? 0 };
  }
}

/** The cell of the last writes; 0 if there are none. */
function cellAt(shadow: Shadow, address: number): number {
  const word = address >>> 2;
  return shadow.pages[Math.floor(word / PAGE_WORDS)]?.writes[word % PAGE_WORDS] ?? 0;
}
