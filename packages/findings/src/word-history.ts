import type { FindingLabel } from './finding-label.ts';
import type { WordMeaning } from './word-meaning.ts';

/** One change of a word, as far as it is known. */
export interface WordChange {
  readonly by: FindingLabel;
  /** True if it changed the value that was there, as an addition does. False for a store. */
  readonly isUpdate: boolean;
  /** The values before and after it. */
  readonly was?: bigint;
  readonly value?: bigint;
}

/** A value that a CTA had read. */
export interface ValueRead {
  readonly by: FindingLabel;
  readonly value: bigint;
  /**
   * The last change of any word by the CTA before the read. Present if another CTA has changed the
   * word in between, which the read has seen.
   */
  readonly after?: FindingLabel;
}

/** How an awaited word came to its value. */
export interface WordHistory {
  /** The last changes, the oldest first. */
  readonly changes: readonly WordChange[];
  /** The last value that the CTA had read there before it waited. */
  readonly read?: ValueRead;
  /** If nothing changed the word: what was changed instead, near it or at another rank. */
  readonly instead: readonly { readonly place: WordMeaning; readonly change: WordChange }[];
}
