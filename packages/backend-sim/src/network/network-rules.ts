import { at } from '@nccl-ts/core';
import { networkMisuse } from '@nccl-ts/codegen';
import type { Heap } from '../memory/heap.ts';

/** The users of a context that only some may use. */
interface Owner {
  readonly launch: number;
  readonly cta: string;
  readonly thread: number;
}

/**
 * The state for detecting violated rules. A method that returns text returns the error, or
 * `undefined`.
 *
 * Addresses are those of the heap.
 */
export class NetworkRules {
  readonly #heap: Heap;
  /** The kind of change that each signal has had since it was 0. */
  readonly #modified = new Map<number, 'inc' | 'add'>();
  /** The values that the network left in words of kernels' windows. */
  readonly #values = new Map<number, bigint>();
  /** The words among them that another access has changed. */
  readonly #touched = new Set<number>();
  readonly #owners = new Map<number, Owner>();

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Called before a signal at `address` is posted. */
  modifies(address: number, modify: 'inc' | 'add'): string | undefined {
    const before = this.#modified.get(address);
    this.#modified.set(address, modify);
    return before === undefined || before === modify ? undefined : networkMisuse.otherModify(before, modify);
  }

  /**
   * Called before the word of a VA signal is read or changed. It must be as the network left it.
   */
  untouched(address: number): string | undefined {
    const known = this.#values.get(address);
    const sound = known === undefined || (known === this.#word(address) && !this.#touched.has(address));
    return sound ? undefined : networkMisuse.touched(known, this.#word(address));
  }

  /** Like `untouched`, if there is no thread to report to. The next thread gets the report. */
  checkUntouched(address: number): void {
    if (this.untouched(address) !== undefined) this.#touched.add(address);
  }

  /**
   * Called when the network has changed the word of a VA signal, or before it does so for the first
   * time.
   */
  keep(address: number): void {
    this.#values.set(address, this.#word(address));
  }

  keeps(address: number): boolean {
    return this.#values.has(address);
  }

  /** Called when the word was set to 0. */
  reset(address: number): void {
    this.#modified.delete(address);
    this.#touched.delete(address);
    if (this.#values.has(address)) this.#values.set(address, 0n);
  }

  /**
   * Called when a thread uses a context (identified by an address) that it promised not to share.
   */
  uses(context: number, owner: Owner, sharing: number): string | undefined {
    const known = this.#owners.get(context);
    this.#owners.set(context, owner);
    if (known?.launch !== owner.launch) return undefined;
    if (known.cta !== owner.cta) return networkMisuse.twoCtas(owner.cta, known.cta);
    return sharing === 2 && known.thread !== owner.thread
      ? networkMisuse.twoThreads(owner.thread, known.thread)
      : undefined;
  }

  /** Forgets the words in `[low, high)`, which are about to be reused. */
  forget(low: number, high: number): void {
    for (const known of [this.#modified, this.#values, this.#touched, this.#owners]) {
      for (const address of known.keys()) if (address >= low && address < high) known.delete(address);
    }
  }

  #word(address: number): bigint {
    return at(this.#heap.views.u64, address / 8);
  }
}
