import type { DevCommField } from '@nccl-ts/devcomm';
import type { Pointer } from './pointer.ts';

/** Bytes with addresses that are filled in once they are known. */
export interface MemoryImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly pointers: readonly PlacedPointer[];
  readonly fields: readonly PlacedField[];
}

/**
 * A field of the device communicator, or the handle of a resource, by its index in
 * `resourceRequirementsList`.
 */
export type CreatedField = DevCommField | { readonly resource: number };

/**
 * A field that is known once the device communicator is created. It has 4 bytes, or 8 if it is an
 * address.
 */
export interface PlacedField {
  readonly at: number;
  readonly field: CreatedField;
  readonly bytes: 4 | 8;
}

export interface PlacedPointer {
  readonly at: number;
  readonly pointer: Pointer;
  /**
   * The part of the address: all of it (8 bytes), the part above 4 GiB (8 bytes), or the number of
   * the 4 KiB page below that (4 bytes).
   */
  readonly part: 'whole' | 'above 4 GiB' | 'page below 4 GiB';
}

/** Makes a {@link MemoryImage}: little-endian, with zero for bytes that are not written. */
export class ImageWriter implements MemoryImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView<ArrayBuffer>;
  readonly pointers: PlacedPointer[] = [];
  readonly fields: PlacedField[] = [];

  constructor(bytes: number) {
    this.bytes = new Uint8Array(bytes);
    this.view = new DataView(this.bytes.buffer);
  }

  pointer(at: number, pointer: Pointer, part: PlacedPointer['part'] = 'whole'): void {
    this.pointers.push({ at, pointer, part });
  }

  field(at: number, field: CreatedField, bytes: PlacedField['bytes']): void {
    this.fields.push({ at, field, bytes });
  }
}

const FOUR_GIB = 2n ** 32n;
const PAGE = 4096n;

/** The addresses that are known once a rank has its memory. */
export interface RankAddresses {
  readonly address: (pointer: Pointer) => bigint;
  readonly field: (field: CreatedField) => number;
}

/** The bytes with the addresses and fields filled in. */
export function imageBytes(
  { bytes, pointers, fields }: MemoryImage,
  { address, field: valueOf }: RankAddresses,
): Uint8Array<ArrayBuffer> {
  if (pointers.length + fields.length === 0) return bytes;
  const patched = bytes.slice();
  const view = new DataView(patched.buffer);
  for (const { at, pointer, part } of pointers) {
    const whole = address(pointer);
    const below = whole % FOUR_GIB;
    if (part === 'page below 4 GiB') view.setUint32(at, Number(below / PAGE), true);
    else view.setBigUint64(at, part === 'whole' ? whole : whole - below, true);
  }
  for (const { at, field, bytes: size } of fields) {
    if (size === 8) view.setBigUint64(at, BigInt(valueOf(field)), true);
    else view.setUint32(at, valueOf(field), true);
  }
  return patched;
}
