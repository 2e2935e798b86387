import { devCommFields, type DevCommField } from '@nccl-ts/devcomm';
import {
  f16,
  bf16,
  f32,
  f64,
  i16,
  i32,
  i64,
  i8,
  memoryType,
  ptr,
  u16,
  u32,
  u64,
  u8,
  ImageWriter,
  type CreatedField,
  type MemoryImage,
  type MemoryType,
  type Pointer,
} from '@nccl-ts/harness';
import { bytesOf } from './base64-bytes.ts';
import type { ElementName, ImageJson, PlacedAddressJson } from './program-json.ts';

/** The parts of an image, by the first of their bytes. */
export interface PlacedImage {
  readonly bytes: Uint8Array | undefined;
  readonly pointers: readonly (PlacedAddressJson & { readonly pointer: Pointer })[];
  readonly fields: readonly { readonly at: number; readonly field: CreatedField; readonly bytes: 4 | 8 }[];
}

/** An element of memory, as the part of an image from byte `at` on. */
export interface ImagePart {
  readonly image: PlacedImage;
  readonly at: number;
}

/** An element of memory: a part of an image, or a number. */
export type ElementValue = ImagePart | number | bigint;

export function placedImage(
  { base64, addresses = [], fields = [] }: ImageJson,
  pointerTo: (address: PlacedAddressJson) => Pointer,
): PlacedImage {
  return {
    bytes: base64 === undefined ? undefined : bytesOf(base64),
    pointers: addresses.map((address) => ({ ...address, pointer: pointerTo(address) })),
    fields: fields.map(({ field, ...place }) => ({ ...place, field: createdField(field) })),
  };
}

/** Writes the bytes of a part to byte `to`. */
export function writePart(into: ImageWriter, to: number, { image, at }: ImagePart, length: number): void {
  const { bytes, pointers, fields } = image;
  if (bytes !== undefined) into.bytes.set(bytes.subarray(at, at + length), to);
  const isHere = (one: { readonly at: number }): boolean => one.at >= at && one.at < at + length;
  for (const { pointer, part = 'whole', ...one } of pointers.filter(isHere))
    into.pointer(to + one.at - at, pointer, part);
  for (const { field, bytes: size, ...one } of fields.filter(isHere)) into.field(to + one.at - at, field, size);
}

/** The whole image. */
export function imageOf(image: PlacedImage): MemoryImage {
  const { length } = image.bytes ?? [];
  const written = new ImageWriter(length);
  writePart(written, 0, { image, at: 0 }, length);
  return written;
}

const scalars: Readonly<Record<ElementName, MemoryType>> = {
  u8,
  u16,
  u32,
  u64,
  i8,
  i16,
  i32,
  i64,
  f16,
  bf16,
  f32,
  f64,
  ptr,
};

/** The type of an element, whose values are parts of images or numbers. */
export function elementType(name: ElementName): MemoryType<ElementValue> {
  const scalar = scalars[name];
  const { typeName, bytes, align, decode } = scalar;
  return memoryType<ElementValue>({
    typeName,
    bytes,
    align,
    encode: (into, at, value, what) => {
      if (isPart(value)) writePart(into, at, value, bytes);
      else (name === 'ptr' ? u64 : scalar).encode(into, at, value, what);
    },
    ...(decode === undefined ? {} : { decode }),
  });
}

function isPart(value: unknown): value is ImagePart {
  return typeof value === 'object' && value !== null && 'image' in value;
}

function createdField(field: string | { readonly resource: number }): CreatedField {
  if (typeof field !== 'string') return field;
  if (isCommField(field)) return field;
  throw new RangeError(`there is no field ${field} of a device communicator`);
}

/** True for the names of fields of a device communicator. */
export function isCommField(name: string): name is DevCommField {
  return Object.hasOwn(devCommFields, name);
}
