import type { LoggedWord } from './logged-word.ts';
import type { Shadow } from './shadow.ts';
import { SyncWords, type SyncWord } from './sync-words.ts';

/** The words of all memories to which strong writes went. Its shadow identifies a memory. */
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
    const cell = shadow.writeCell(word.address);
    return cell === word.id || shadow.epochs(cell).at(-1) === word.id ? word : undefined;
  }

  /** The word with the newest epoch in its cell. */
  logged(shadow: Shadow, address: number, bytes: number): LoggedWord {
    return { shadow, address, bytes, epoch: shadow.writesAt(address).at(-1) ?? 0 };
  }
}
