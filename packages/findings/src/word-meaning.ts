import type { GinWord } from '@nccl-ts/devcomm';
import type { LsaInbox } from './lsa-inbox.ts';

/** The meaning of a word of memory, as far as its address determines it. */
export type WordMeaning =
  | WindowWord
  | LsaInboxWord
  | GinStateWord
  | { readonly kind: 'array'; readonly space: 'shared' | 'local'; readonly offset: number }
  /** The word is no longer in a window. */
  | { readonly kind: 'unknown'; readonly address: number };

export interface WindowWord {
  readonly kind: 'window';
  /** `window 2`, `the resource window of device communicator 0`. */
  readonly window: string;
  /** The rank whose copy it is. */
  readonly rank: number;
  /** The offset in bytes from the beginning of the window. */
  readonly offset: number;
}

/** A word that the network writes: a signal, a counter, or a count of requests. */
export interface GinStateWord extends Omit<WindowWord, 'kind'> {
  readonly kind: 'gin';
  readonly word: GinWord;
}

/** The word where an LSA barrier receives the arrivals of one peer. */
export interface LsaInboxWord extends Omit<WindowWord, 'kind'>, LsaInbox {
  readonly kind: 'lsaInbox';
  /** The world rank of the peer that posts here. */
  readonly peerRank: number;
}
