import type { StatusRider } from './status.ts';

/** The bytes that a kernel may write, as whole words. */
export interface WordRange {
  readonly address: number;
  readonly words: number;
}

/**
 * For window memory and resources: true if different devices may have changed single bytes of a
 * word.
 */
export type ByBytes = Readonly<Record<'heap' | 'resources', boolean>>;

/** The exchanges between devices so far. */
export interface ExchangeCosts {
  /** The number of exchanges. */
  readonly count: number;
  /** Bytes of memory that were compared with the agreed content. */
  readonly comparedBytes: number;
  /** The bytes of the devices' changes. Each was sent to every other device. */
  readonly changedBytes: number;
}

/** For a world whose devices need no exchange. */
export const noCosts: ExchangeCosts = Object.freeze({ count: 0, comparedBytes: 0, changedBytes: 0 });

/** A search for changes, which a device runs after the kernels of a round. */
export interface ChangeSearch extends StatusRider {
  encode(encoder: GPUCommandEncoder): void;
}

/**
 * Makes the memory of several devices equal again after kernels have run. A world on one device has
 * none. Several devices get it from the package `webgpu-distributed`.
 */
export interface MemoryExchange {
  readonly costs: ExchangeCosts;
  /**
   * Prepares the search for changes by kernels on a device, only in `ranges`; `undefined` if there
   * are none. It must be submitted after the kernels and before `settle`. The ranges must be
   * results of `merged`, and the same array stands for the same ranges.
   */
  prepare(device: number, ranges: readonly WordRange[], byBytes: ByBytes): Promise<ChangeSearch | undefined>;
  /**
   * When it resolves, later submissions on any device see the changes that were found on the
   * others.
   */
  settle(): Promise<void>;
  dispose(): void;
}
