import type { Pointer } from './pointer.ts';

/** Bytes whose addresses are put in once they are known. */
export interface MemoryImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly pointers: readonly PlacedPointer[];
}

export interface PlacedPointer {
  readonly at: number;
  readonly pointer: Pointer;
  /**
   * Of the address: all of it, 8 bytes; its part above 4 GiB, 8 bytes; or the number of its 4 KiB page below that, 4 bytes.
   */
  readonly part: 'whole' | 'above 4 GiB' | 'page below 4 GiB';
}

/** Makes a {@link MemoryImage}: little-endian, zero where nothing is written. */
export class ImageWriter implements MemoryImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView<ArrayBuffer>;
  readonly pointers: PlacedPointer[] = [];

  constructor(bytes: number) {
    this.bytes = new Uint8Array(bytes);
    this.view = new DataView(this.bytes.buffer);
  }

  pointer(at: number, pointer: Pointer, part: PlacedPointer['part'] = 'whole'): void {
    this.pointers.push({ at, pointer, part });
  }
}

const FOUR_GIB = 2n ** 32n;
const PAGE = 4096n;

/** The bytes with the addresses in their places. */
export function imageBytes(
  { bytes, pointers }: MemoryImage,
  address: (pointer: Pointer) => bigint,
): Uint8Array<ArrayBuffer> {
  if (pointers.length === 0) return bytes;
  const patched = bytes.slice();
  const view = new DataView(patched.buffer);
  for (const { at, pointer, part } of pointers) {
    const whole = address(pointer);
    const below = whole % FOUR_GIB;
    if (part === 'page below 4 GiB') view.setUint32(at, Number(below / PAGE), true);
    else view.setBigUint64(at, part === 'whole' ? whole : whole - below, true);
  }
  return patched;
}
