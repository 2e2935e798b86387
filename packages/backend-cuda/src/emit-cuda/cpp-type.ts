import { NcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { elementScalar, type Type, type ValueType } from '@nccl-ts/ir';
import type { PreludePart } from './prelude.ts';

/** C++ types by their plain names, which need no header and which CUDA's atomics all support. */
const scalarTypes: Readonly<Record<ScalarKind, string>> = {
  bool: 'bool',
  i8: 'signed char',
  u8: 'unsigned char',
  i16: 'short',
  u16: 'unsigned short',
  i32: 'int',
  u32: 'unsigned int',
  i64: 'long long',
  u64: 'unsigned long long',
  f16: '__half',
  bf16: '__nv_bfloat16',
  f32: 'float',
  f64: 'double',
  e4m3: 'nts::e4m3',
  e5m2: 'nts::e5m2',
  addr: 'unsigned long long',
};

export function cppScalar(kind: ScalarKind): string {
  return scalarTypes[kind];
}

/** Returns the C++ type of a value. */
export function cppType(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return scalarTypes[type.scalar];
    case 'vector':
      return `nts::vec<${scalarTypes[type.element]}, ${type.width}>`;
    case 'pointer':
      return `${cppType(type.element)}*`;
    case 'handle':
      return handleType(type.name);
  }
}

function handleType(name: string): string {
  const known = handles[name];
  if (known === undefined) throw new NcclError('NCCLTS_NOT_SUPPORTED', `CUDA has no type for the handle '${name}'.`);
  return known;
}

const handles: Readonly<Record<string, string>> = { DevComm: 'ncclDevComm', Window: 'ncclWindow_t' };

export function byteSize(type: ValueType): number {
  return scalarInfo[elementScalar(type)].bytes * (type.kind === 'vector' ? type.width : 1);
}

/** Records that the text uses `type`. Floats of 16 and 8 bits and vectors need helper code. */
export function useType(type: Type, c: { use(part: PreludePart): void }): void {
  if (type.kind === 'handle') return;
  const value = type.kind === 'pointer' ? type.element : type;
  if (value.kind === 'vector') c.use('vec');
  const part = typeParts[elementScalar(value)];
  if (part !== undefined) c.use(part);
}

const typeParts: Readonly<Partial<Record<ScalarKind, PreludePart>>> = {
  f16: 'half',
  bf16: 'bf16',
  e4m3: 'fp8',
  e5m2: 'fp8',
};
