import { showValue } from '@nccl-ts/core';
import type { PtxVariable } from '@nccl-ts/ptx';
import { isAllocation } from './memory/allocation.ts';
import type { HarnessArgument } from './memory/harness-argument.ts';
import { ImageWriter, type MemoryImage } from './memory/memory-image.ts';
import { aligned, invalid, isTypedValue, type MemoryType } from './memory/memory-type.ts';
import { f32, f64, i16, i32, i64, i8, isPointer, ptr, u16, u32, u64, u8 } from './scalar-types.ts';

/** A parameter and its offset in the bytes of a launch. */
export interface PlacedParameter {
  readonly name: string;
  readonly offset: number;
  readonly variable: PtxVariable;
}

/** The parameters of an entry in order, each at its own alignment, and the size of all. */
export function layOutParameters(params: readonly PtxVariable[]): {
  readonly placed: readonly PlacedParameter[];
  readonly bytes: number;
} {
  let end = 0;
  const placed = params.map((variable) => {
    const offset = aligned(end, variable.align);
    end = offset + variable.bytes;
    return { name: variable.name, offset, variable };
  });
  return { placed, bytes: end };
}

/**
 * Returns the bytes that a launch passes.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument does not fit its parameter, or if the
 * numbers of arguments and parameters differ.
 */
export function parameterBytes(
  params: readonly PtxVariable[],
  args: readonly HarnessArgument[],
  what: string,
): MemoryImage {
  const { placed, bytes } = layOutParameters(params);
  if (args.length !== placed.length) {
    const list = placed.map(({ variable }, i) => `${i}: ${sizeText(variable)}`).join(', ');
    throw invalid(`${what}: the entry has ${counted(placed.length, 'parameter')} (${list}); args has ${args.length}.`);
  }
  const image = new ImageWriter(bytes);
  for (const [i, parameter] of placed.entries())
    write(image, parameter, args[i], `${what}: argument ${i} (${parameter.name})`);
  return image;
}

function write(image: ImageWriter, { offset, variable }: PlacedParameter, arg: unknown, what: string): void {
  if (arg instanceof Uint8Array) {
    if (arg.length !== variable.bytes) throw unfit(what, variable, `${arg.length} bytes`);
    image.bytes.set(arg, offset);
    return;
  }
  if (isTypedValue(arg)) {
    const { type, value } = arg;
    // An empty struct is passed as one byte. Others have exactly their own bytes.
    if (type.bytes !== variable.bytes) throw unfit(what, variable, `${type.bytes} bytes (${type.typeName})`);
    type.encode(image, offset, value, what);
    return;
  }
  if (arg === null || isAllocation(arg) || isPointer(arg)) {
    if (variable.bytes !== 8) throw unfit(what, variable, 'an address, which has 8 bytes');
    ptr.encode(image, offset, arg, what);
    return;
  }
  if (typeof arg === 'boolean' || typeof arg === 'number' || typeof arg === 'bigint') {
    const value = typeof arg === 'boolean' ? Number(arg) : arg;
    numberType(variable, value, what).encode(image, offset, value, what);
    return;
  }
  throw unfit(what, variable, showValue(arg));
}

function numberType(
  { type, bytes, length }: PtxVariable,
  value: number | bigint,
  what: string,
): MemoryType<number | bigint> {
  if (length === undefined || length === 1) {
    if (type === 'f32') return f32;
    if (type === 'f64') return f64;
  }
  if (typeof value === 'number' && !Number.isInteger(value)) {
    throw invalid(
      `${what} takes ${bytes} bytes that are not declared as a float; given ${value}: write f32(${value}) or the like.`,
    );
  }
  const signed = { 1: i8, 2: i16, 4: i32, 8: i64 } as const;
  const unsigned = { 1: u8, 2: u16, 4: u32, 8: u64 } as const;
  if (bytes === 1 || bytes === 2 || bytes === 4 || bytes === 8) return value < 0 ? signed[bytes] : unsigned[bytes];
  throw invalid(
    `${what} takes a struct of ${bytes} bytes; given ${value}: write struct({ ... })({ ... }), or a Uint8Array of ${bytes} bytes.`,
  );
}

function unfit(what: string, variable: PtxVariable, given: string): Error {
  return invalid(`${what} takes ${sizeText(variable)}; given ${given}.`);
}

function sizeText({ type, bytes, align, length }: PtxVariable): string {
  if (length === undefined) return `${type}, ${counted(bytes, 'byte')}`;
  return `a struct of ${counted(bytes, 'byte')}, aligned to ${align}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
