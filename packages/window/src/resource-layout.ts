import { expectInteger, NcclError } from '@nccl-ts/core';

/**
 * The bytes of one unit of a resource handle.
 *
 * @see ncclGetResourceBufferOffset
 */
export const RESOURCE_UNIT = 128 as const;

/** One required buffer. */
export interface ResourceBuffer {
  readonly bytes: number;
  /**
   * The alignment of the offset in the window. It is a power of two, or 0 for no requirement.
   * Values below 128 have no effect.
   */
  readonly align: number;
}

export interface ResourceWindowOptions {
  /** The buffers, in the order of their layout. */
  readonly buffers: readonly ResourceBuffer[];
  readonly ginContexts: number;
  /** The number of signals of one context. */
  readonly ginSignals: number;
}

/**
 * The locations of all buffers in a device communicator's resource window. Frozen,
 * JSON-serialisable.
 */
export interface ResourceLayout {
  /**
   * One handle for each buffer: its byte offset / 128. Two may be equal if a buffer has no bytes.
   */
  readonly handles: readonly number[];
  /**
   * The byte offset of the signal shadows, a multiple of 128. Each context has a u64 for each
   * signal.
   */
  readonly ginSignalShadowsOffset: number;
  /**
   * The total size in bytes, up to the end of the shadows. 0 if nothing was required. A backend may
   * allocate more.
   */
  readonly bytes: number;
}

const largestHandle = 2 ** 32 - 1;

/**
 * Lays buffers out as NCCL does. Each is at a multiple of max(128, align), and the shadows of the
 * GIN signals follow.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if a size is not an integer from 0 on, an alignment is
 *   not a power of two, or the window is too large for its handles (512 GiB).
 */
export function layoutResourceWindow(options: ResourceWindowOptions): ResourceLayout {
  expectInteger('ginContexts', options.ginContexts, 0);
  expectInteger('ginSignals', options.ginSignals, 0);
  const handles: number[] = [];
  let end = 0;
  options.buffers.forEach((buffer, index) => {
    const bytes = expectInteger(`bytes of resource buffer ${index}`, buffer.bytes, 0);
    const start = alignUp(end, Math.max(RESOURCE_UNIT, checkedAlign(buffer.align, index)));
    if (start / RESOURCE_UNIT > largestHandle) throw tooLarge(start);
    handles.push(start / RESOURCE_UNIT);
    end = start + bytes;
  });
  const ginSignalShadowsOffset = alignUp(end, RESOURCE_UNIT);
  const bytes = ginSignalShadowsOffset + options.ginContexts * options.ginSignals * 8;
  if (!Number.isSafeInteger(bytes)) throw tooLarge(bytes);
  return Object.freeze({ handles: Object.freeze(handles), ginSignalShadowsOffset, bytes });
}

/**
 * The byte offset of a handle in the resource window.
 *
 * @see ncclGetResourceBufferOffset
 */
export function resourceOffset(handle: number): number {
  return handle * RESOURCE_UNIT;
}

function checkedAlign(align: number, index: number): number {
  expectInteger(`align of resource buffer ${index}`, align, 0);
  if (align !== 0 && 2 ** Math.round(Math.log2(align)) !== align) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `align of resource buffer ${index} must be 0 or a power of two; given ${align}.`,
      { details: { what: 'align', index, given: align } },
    );
  }
  return align;
}

function alignUp(offset: number, align: number): number {
  return Math.ceil(offset / align) * align;
}

function tooLarge(bytes: number): NcclError {
  return new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `The resource window must fit in ${largestHandle} units of ${RESOURCE_UNIT} bytes; given ${bytes} bytes.`,
    { details: { what: 'bytes', given: bytes } },
  );
}
