import { expectInteger, scalarInfo } from '@nccl-ts/core';
import type { ScalarKind } from '@nccl-ts/core';

/**
 * A position in a symmetric window that is valid for every rank's buffer: window, byte offset, and
 * element type. The value is frozen, and arithmetic returns new values.
 *
 * `W` is the type of windows in the code that uses the pointer. The offset is not checked against
 * the window's size.
 *
 * @see ncclSymPtr
 */
export interface SymPtr<K extends ScalarKind = ScalarKind, W = unknown> {
  readonly kind: 'symPtr';
  readonly window: W;
  readonly element: K;
  /** Bytes from the start of the window. */
  readonly offset: number;
  /**
   * Returns the pointer moved by `n` elements, or back if `n` is negative.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if `n` is not an integer, or the offset is not from 0
   *   to 2^53 - 1.
   */
  add(n: number): SymPtr<K, W>;
  /** The same position, with another element type. */
  cast<L extends ScalarKind>(element: L): SymPtr<L, W>;
}

/**
 * Makes the pointer to byte `offset` of `window`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `offset` is not an integer from 0 to 2^53 - 1.
 */
export function symPtr<K extends ScalarKind, W>(window: W, element: K, offset = 0): SymPtr<K, W> {
  return Object.freeze(new SymmetricPointer(window, element, offset));
}

/**
 * Every launch has some of these, so methods are shared, and an unchanged position returns the same
 * object.
 */
class SymmetricPointer<K extends ScalarKind, W> implements SymPtr<K, W> {
  readonly kind = 'symPtr';
  readonly window: W;
  readonly element: K;
  readonly offset: number;

  constructor(window: W, element: K, offset: number) {
    this.window = window;
    this.element = element;
    this.offset = expectInteger('offset of a symmetric pointer', offset, 0);
  }

  add(n: number): SymPtr<K, W> {
    expectInteger('n of a symmetric pointer', n, Number.MIN_SAFE_INTEGER);
    return symPtr(this.window, this.element, this.offset + n * scalarInfo[this.element].bytes);
  }

  cast<L extends ScalarKind>(element: L): SymPtr<L, W> {
    return isOf(this, element) ? this : symPtr(this.window, element, this.offset);
  }
}

function isOf<L extends ScalarKind, W>(pointer: SymPtr<ScalarKind, W>, element: L): pointer is SymPtr<L, W> {
  const { element: own }: { readonly element: ScalarKind } = pointer;
  return own === element;
}

/** True if `value` was made by `symPtr`, in this or another copy of the package. */
export function isSymPtr(value: unknown): value is SymPtr {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'symPtr';
}
