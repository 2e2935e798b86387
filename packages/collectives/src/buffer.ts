import { NcclError, reading, scalarInfo, type ScalarKind, showValue } from '@nccl-ts/core';
import type { Window } from '@nccl-ts/communicator';
import { isSymPtr, type SymPtr } from '@nccl-ts/window';

/** A position in symmetric memory. */
export type BufferPointer<K extends ScalarKind = ScalarKind> = SymPtr<K, Window>;

/**
 * The source or destination of a collective: a window, from its start, or a symmetric pointer into
 * one. The element type is that of the window or pointer.
 */
export type Buffer<K extends ScalarKind = ScalarKind> = Window<K> | BufferPointer<K>;

/**
 * @throws @throws NcclError `NCCL_INVALID_ARGUMENT` if `buffer` is neither, or ends before its
 *   `count` elements.
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
 * The relation of two regions of one rank's memory: `offset` is from the first to the second, in
 * bytes.
 */
export type Overlap =
  | { readonly kind: 'apart' }
  | { readonly kind: 'same' }
  | { readonly kind: 'partial'; readonly offset: number };

/**
 * Regions of `bytesA` and `bytesB` bytes. Windows over the same memory that are not the same window
 * are not recognised.
 */
export function overlap(a: BufferPointer, bytesA: number, b: BufferPointer, bytesB: number): Overlap {
  if (a.window !== b.window || a.offset + bytesA <= b.offset || b.offset + bytesB <= a.offset) return { kind: 'apart' };
  if (a.offset === b.offset && bytesA === bytesB) return { kind: 'same' };
  return { kind: 'partial', offset: b.offset - a.offset };
}
