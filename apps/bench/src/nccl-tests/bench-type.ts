import { scalarInfo, type ScalarKind } from '@nccl-ts/core';

/** A type by nccl-tests' name, with its type here. */
export interface BenchType {
  readonly name: string;
  readonly kind: ScalarKind;
  readonly bytes: number;
}

function type(name: string, kind: ScalarKind): BenchType {
  return Object.freeze({ name, kind, bytes: scalarInfo[kind].bytes });
}

/** nccl-tests' types, in its order. */
export const benchTypes: readonly BenchType[] = Object.freeze([
  type('int8', 'i8'),
  type('uint8', 'u8'),
  type('int32', 'i32'),
  type('uint32', 'u32'),
  type('int64', 'i64'),
  type('uint64', 'u64'),
  type('half', 'f16'),
  type('float', 'f32'),
  type('double', 'f64'),
  type('bfloat16', 'bf16'),
  type('f8e4m3', 'e4m3'),
  type('f8e5m2', 'e5m2'),
]);

/** The type of that name, nccl-tests' or the kernel language's. */
export function benchTypeOf(name: string): BenchType | undefined {
  return benchTypes.find((candidate) => candidate.name === name || candidate.kind === name);
}
