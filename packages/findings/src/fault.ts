/** The kinds of faults of a thread. */
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

/** A fault as numbers, in the form in which the kernel detects it. */
export interface Fault {
  readonly kind: FaultKind;
  /** The index of the source location. */
  readonly site: number;
  /** Linear index in its CTA. */
  readonly thread: number;
  /**
   * For memory faults: address and size. If `space` is not global, `address` is an offset into the
   * array.
   */
  readonly space?: 'global' | 'shared' | 'local';
  readonly address?: number;
  readonly bytes?: number;
  readonly region?: number;
  /** For arrays: the size of the whole array in bytes. */
  readonly arrayBytes?: number;
  readonly message?: string;
}
