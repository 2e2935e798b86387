import { decodeArray, encodeArray, scalarInfo, showValue, type ScalarKind } from '@nccl-ts/core';
import { invalid, memoryType, type MemoryType } from './memory/memory-type.ts';
import { isAllocation } from './memory/allocation.ts';
import type { Address, Pointer } from './memory/pointer.ts';

function scalar(kind: ScalarKind): MemoryType<number | bigint> {
  const { bytes } = scalarInfo[kind];
  return memoryType<number | bigint>({
    typeName: kind,
    bytes,
    align: bytes,
    encode: (into, at, value, what) => into.bytes.set(encoded(kind, value, what), at),
    decode: (from, at) => decodeArray(kind, new Uint8Array(from.buffer, from.byteOffset + at, bytes))[0] ?? Number.NaN,
  });
}

function encoded(kind: ScalarKind, value: unknown, what: string): Uint8Array {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (isNumber) {
    try {
      const array = encodeArray(kind, [scalarInfo[kind].class === 'float' ? Number(value) : value]);
      return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
  const { min, max } = scalarInfo[kind];
  const allowed = min === undefined ? 'a number' : `a whole number from ${min} to ${max}`;
  throw invalid(`${what} must be ${allowed} (${kind}); given ${showValue(value)}.`);
}

export const u8: MemoryType<number | bigint> = /* @__PURE__ */ scalar('u8');
export const u16: MemoryType<number | bigint> = /* @__PURE__ */ scalar('u16');
export const u32: MemoryType<number | bigint> = /* @__PURE__ */ scalar('u32');
export const u64: MemoryType<number | bigint> = /* @__PURE__ */ scalar('u64');
export const i8: MemoryType<number | bigint> = /* @__PURE__ */ scalar('i8');
export const i16: MemoryType<number | bigint> = /* @__PURE__ */ scalar('i16');
export const i32: MemoryType<number | bigint> = /* @__PURE__ */ scalar('i32');
export const i64: MemoryType<number | bigint> = /* @__PURE__ */ scalar('i64');
export const f16: MemoryType<number | bigint> = /* @__PURE__ */ scalar('f16');
export const bf16: MemoryType<number | bigint> = /* @__PURE__ */ scalar('bf16');
export const f32: MemoryType<number | bigint> = /* @__PURE__ */ scalar('f32');
export const f64: MemoryType<number | bigint> = /* @__PURE__ */ scalar('f64');

/**
 * A pointer of 8 bytes. An allocation means its start at the rank of this setup. `null` is the null
 * pointer.
 */
export const ptr: MemoryType<Address> = /* @__PURE__ */ memoryType<Address>({
  typeName: 'ptr',
  bytes: 8,
  align: 8,
  encode: (into, at, value, what) => {
    const pointer = pointerOf(value, what);
    if (pointer !== null) into.pointer(at, pointer);
  },
  decode: (from, at) => from.getBigUint64(at, true),
});

/** @throws NcclError if `value` is not an address. */
export function pointerOf(value: unknown, what: string): Pointer | null {
  if (value === null) return null;
  if (isAllocation(value)) return value.own;
  if (isPointer(value)) return value;
  throw invalid(
    `${what} must be an allocation, a pointer made by peer or multicast, or null; given ${showValue(value)}.`,
  );
}

export function isPointer(value: unknown): value is Pointer {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'pointer' && 'allocation' in value
  );
}
