import type { LoggedWord } from './logged-word.ts';
import { maskOf, type EpochId, type Epochs } from './epochs.ts';
import { byteAt } from './number-at.ts';
import { LIST, type Shadow } from './shadow.ts';
import { SyncWords, type SyncWord } from './sync-words.ts';

/** The words of all memories to which strong writes went. Its shadow identifies a memory. */
export class StrongWords {
  readonly #byMemory = new WeakMap<Shadow, SyncWords>();
  readonly #epochs: Epochs;

  constructor(epochs: Epochs) {
    this.#epochs = epochs;
  }

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
    return this.#newest(shadow, word.address, word.bytes) === word.id ? word : undefined;
  }

  /** The word with the newest epoch of its bytes. */
  logged(shadow: Shadow, address: number, bytes: number): LoggedWord {
    return { shadow, address, bytes, epoch: this.#newest(shadow, address, bytes) ?? 0 };
  }

  /** The newest write of some bytes. A cell may have those of its other bytes too. */
  #newest(shadow: Shadow, address: number, bytes: number): EpochId | undefined {
    const cell = shadow.writeCell(address);
    if (cell < LIST) return cell;
    const { mask } = this.#epochs;
    const own = maskOf(address, bytes);
    return shadow.epochs(cell).findLast((id) => (byteAt(mask, id) & own) !== 0);
  }
}
