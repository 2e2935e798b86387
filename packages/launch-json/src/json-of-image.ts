import { ImageWriter, isTypedValue, type HarnessArgument, type MemoryImage, type Pointer } from '@nccl-ts/harness';
import { base64Of } from './base64-bytes.ts';
import { jsonOfNumber } from './numbers-of-json.ts';
import type { AddressJson, ArgumentJson, ImageJson, PlacedAddressJson } from './program-json.ts';

/** How addresses of the rank `own` are written: with their rank, or as those of the own rank. */
export interface AddressForm {
  readonly own: number;
  readonly namesOwn: boolean;
}

export function jsonOfAddress({ allocation, rank, offset }: Pointer, { own, namesOwn }: AddressForm): AddressJson {
  return {
    memory: allocation.name,
    ...(rank === own && !namesOwn ? {} : { rank }),
    ...(offset === 0 ? {} : { offset }),
  };
}

/** The bytes and addresses of an image. */
export function jsonOfImage(image: MemoryImage, form: AddressForm): ImageJson & { readonly base64: string } {
  const { bytes, pointers, fields } = image;
  const addresses = pointers.map(({ at, pointer, part }): PlacedAddressJson => ({
    at,
    ...jsonOfAddress(pointer, form),
    ...(part === 'whole' ? {} : { part }),
  }));
  return {
    base64: base64Of(bytes),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(fields.length === 0
      ? {}
      : { fields: fields.map(({ at, field, bytes: size }) => ({ at, field, bytes: size })) }),
  };
}

/** An argument. `what` names it in errors of its type. */
export function jsonOfArgument(argument: HarnessArgument, form: AddressForm, what: string): ArgumentJson {
  if (argument === null) return null;
  if (typeof argument === 'boolean') return Number(argument);
  if (typeof argument === 'number' || typeof argument === 'bigint') return jsonOfNumber(argument);
  if (argument instanceof Uint8Array) return { base64: base64Of(argument) };
  if (!isTypedValue(argument)) {
    return jsonOfAddress(argument.kind === 'allocation' ? argument.own : argument, form);
  }
  const { type, value } = argument;
  const image = new ImageWriter(type.bytes);
  type.encode(image, 0, value, what);
  const { known = [], ranges = [] } = type;
  const words = known.map((word) => [String(word.offset), String(word.value)] as const);
  return {
    ...jsonOfImage(image, form),
    ...(words.length === 0 ? {} : { known: Object.fromEntries(words) }),
    ...(ranges.length === 0 ? {} : { ranges }),
  };
}
