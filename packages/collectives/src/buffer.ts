import { NcclError, reading, scalarInfo, type ScalarKind, showValue } from '@nccl-ts/core';
import type { Window } from '@nccl-ts/communicator';
import { isSymPtr, type SymPtr } from '@nccl-ts/window';

/** A location in symmetric memory. */
export type BufferPointer<K extends ScalarKind = ScalarKind> = SymPtr<K, Window>;

/**
 * The source or destination of a collective: a window, which stands for its start, or a symmetric
 * pointer into one. The window or pointer has the element type.
 */
export type Buffer<K extends ScalarKind = ScalarKind> = Window<K> | BufferPointer<K>;

/**
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `buffer` is neither a window nor a pointer, or has
 *   fewer than `count` elements.
 */
export function pointerTo(buffer: Buffer, count: number, what: string): BufferPointer {
  return reading(what, () => pointed(buffer, count, what));
}

function pointed(buffer: Buffer, count: number, what: string): BufferPointer {
  const pointer: BufferPointer | undefined = isSymPtr(buffer)
    ? buffer
    : typeof buffer === 'object' && buffer !== null && buffer.kind === 'window'
      ? buffer.symPtr()
      : undefined;
  if (pointer === undefined) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what} must be a window or a symmetric pointer into one; given ${showValue(buffer)}.`,
    );
  }
  const { bytes } = pointer.window;
  const size = scalarInfo[pointer.element].bytes;
  if (pointer.offset % size !== 0) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what} begins at byte ${pointer.offset}, which is not a multiple of the ${size} bytes of ${pointer.element}.`,
    );
  }
  if (pointer.offset + count * size > bytes) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what} needs ${count} elements of ${size} bytes from byte ${pointer.offset} on; its window has ${bytes} bytes.`,
    );
  }
  return pointer;
}

/**
 * How two regions of one rank's memory overlap. `offset` is the distance in bytes from the first
 * region to the second.
 */
export type Overlap =
  | { readonly kind: 'apart' }
  | { readonly kind: 'same' }
  | { readonly kind: 'partial'; readonly offset: number };

/**
 * Compares regions of `bytesA` and `bytesB` bytes. It does not detect that two different windows
 * share memory.
 */
export function overlap(a: BufferPointer, bytesA: number, b: BufferPointer, bytesB: number): Overlap {
  if (a.window !== b.window || a.offset + bytesA <= b.offset || b.offset + bytesB <= a.offset) return { kind: 'apart' };
  if (a.offset === b.offset && bytesA === bytesB) return { kind: 'same' };
  return { kind: 'partial', offset: b.offset - a.offset };
}
