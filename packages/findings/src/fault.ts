/** The kinds of errors of a thread. */
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

/** A fault in the form of the kernel that detects it: numbers. */
export interface Fault {
  readonly kind: FaultKind;
  /** The index of the source location. */
  readonly site: number;
  /** Linear index in its CTA. */
  readonly thread: number;
  /**
   * For memory faults: address and size. `space` other than global: `address` is an offset into the
   * array.
   */
  readonly space?: 'global' | 'shared' | 'local';
  readonly address?: number;
  readonly bytes?: number;
  readonly region?: number;
  /** For arrays: the bytes of the whole array. */
  readonly arrayBytes?: number;
  readonly message?: string;
}
