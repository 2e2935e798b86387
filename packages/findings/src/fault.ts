/** What a thread can do that it may not. */
export type FaultKind =
  | 'outOfBounds'
  | 'misaligned'
  | 'divideByZero'
  | 'overflow'
  | 'assert'
  | 'misuse'
  | 'addressRange'
  | 'lane'
  | 'fuel';

/** A fault as the kernel that notices it says it: in numbers. */
export interface Fault {
  readonly kind: FaultKind;
  /** The place, by its number. */
  readonly site: number;
  /** Linear index in its CTA. */
  readonly thread: number;
  /**
   * Of memory faults: where, and how much. `space` other than global: `address` is an offset into
   * the array.
   */
  readonly space?: 'global' | 'shared' | 'local';
  readonly address?: number;
  readonly bytes?: number;
  readonly region?: number;
  /** Of arrays: the bytes of the whole array. */
  readonly arrayBytes?: number;
  readonly message?: string;
}
