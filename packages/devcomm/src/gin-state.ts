import type { DevCommPlan } from './plan-dev-comm.ts';

/** A word of a rank's GIN state. `peer` is a world rank. */
export type GinWord =
  | { readonly kind: 'signal' | 'counter'; readonly context: number; readonly index: number }
  | { readonly kind: 'issued' | 'completed'; readonly context: number; readonly peer: number };

/** The layout of a rank's GIN state in memory: u64 words, context after context. */
export interface GinState {
  readonly bytes: number;
  /** The bytes of each context. They begin with its signals. */
  readonly contextBytes: number;
  /**
   * Returns the word at a byte offset, which need not be its first byte; undefined past the end.
   */
  wordAt(offset: number): GinWord | undefined;
}

/**
 * The words that the network writes if there is no network card. Each context has its signals, its
 * counters, the number of requests issued to each rank, and how many of these are locally complete.
 *
 * NCCL keeps the same state where the network's driver needs it.
 */
export function ginState(plan: DevCommPlan): GinState {
  const { ginSignalCount, ginCounterCount, ginContextCount } = plan;
  const { nRanks } = plan.topology;
  const words = ginSignalCount + ginCounterCount + 2 * nRanks;
  const bytes = ginContextCount * words * 8;
  return Object.freeze({
    bytes,
    contextBytes: words * 8,
    wordAt: (offset: number): GinWord | undefined => {
      if (offset < 0 || offset >= bytes) return undefined;
      const word = Math.floor(offset / 8);
      const context = Math.floor(word / words);
      const index = word % words;
      if (index < ginSignalCount) return { kind: 'signal', context, index };
      const past = index - ginSignalCount;
      if (past < ginCounterCount) return { kind: 'counter', context, index: past };
      const peer = past - ginCounterCount;
      return peer < nRanks ? { kind: 'issued', context, peer } : { kind: 'completed', context, peer: peer - nRanks };
    },
  });
}
