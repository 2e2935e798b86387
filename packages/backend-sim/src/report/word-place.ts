/** What a word of memory is, as far as its address tells. */
export type WordPlace =
  | {
      readonly kind: 'window';
      /** `window 2`, `the resource window of device communicator 0`. */
      readonly window: string;
      /** The rank whose copy it is. */
      readonly rank: number;
      /** Bytes from the beginning of the window. */
      readonly offset: number;
    }
  | {
      readonly kind: 'lsaBarrier';
      readonly window: string;
      readonly rank: number;
      readonly offset: number;
      /** The barrier's index among those of its handle. */
      readonly index: number;
      /** The team rank that posts here. */
      readonly peer: number;
      /** The world rank of that peer. */
      readonly peerRank: number;
    }
  | { readonly kind: 'array'; readonly space: 'shared' | 'local'; readonly offset: number }
  | { readonly kind: 'unknown'; readonly address: number };
