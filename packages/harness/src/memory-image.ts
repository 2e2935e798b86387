import type { Pointer } from './pointer.ts';

/** Bytes whose addresses are put in once they are known. */
export interface MemoryImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** At byte `at` stands the address, 8 bytes long. */
  readonly pointers: readonly { readonly at: number; readonly pointer: Pointer }[];
}

/** Makes a {@link MemoryImage}: little-endian, zero where nothing is written. */
export class ImageWriter implements MemoryImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView<ArrayBuffer>;
  readonly pointers: { readonly at: number; readonly pointer: Pointer }[] = [];

  constructor(bytes: number) {
    this.bytes = new Uint8Array(bytes);
    this.view = new DataView(this.bytes.buffer);
  }

  pointer(at: number, pointer: Pointer): void {
    this.pointers.push({ at, pointer });
  }
}

/** The bytes with the addresses in their places. */
export function imageBytes(
  { bytes, pointers }: MemoryImage,
  address: (pointer: Pointer) => bigint,
): Uint8Array<ArrayBuffer> {
  if (pointers.length === 0) return bytes;
  const patched = bytes.slice();
  const view = new DataView(patched.buffer);
  for (const { at, pointer } of pointers) view.setBigUint64(at, address(pointer), true);
  return patched;
}
