import type { ScalarKind } from '@nccl-ts/core';
import { convert, scalarType, type Expression } from '@nccl-ts/ir';
import type { PtxOperand, PtxType } from '../syntax/module.ts';
import { bytesOf } from './instruction-parts.ts';
import type { InstructionLowering } from './lower-instruction.ts';
import { signedOf } from './scalar-bits.ts';

/** Widens a loaded value to its register. Numbers keep their value, and bits get zeros above. */
export function assignWidened(
  result: PtxOperand,
  value: Expression,
  type: PtxType,
  lowering: InstructionLowering,
): void {
  if (result.kind !== 'register') return lowering.assign(result, value);
  const bytes = lowering.registers.bytes(result.name);
  const isSigned = type.startsWith('s');
  const wide = isSigned && bytes > bytesOf(type) ? convert(scalarType(signedOf(bytes)), value) : value;
  lowering.assign(result, wide);
}

/**
 * The scalar type in memory. If possible, it is one that the registers of the access can take
 * unchanged.
 */
export function elementScalarOf(
  type: PtxType,
  elements: readonly PtxOperand[],
  lowering: InstructionLowering,
): ScalarKind {
  const kinds = new Set<string>();
  for (const one of elements) {
    if (one.kind === 'register') kinds.add(lowering.registers.kind(one.name) ?? 'u32');
    else if (one.kind !== 'sink') kinds.add('number');
  }
  const all = (kind: string): boolean => kinds.size === 1 && kinds.has(kind);
  switch (bytesOf(type)) {
    case 1:
      return type === 's8' ? 'i8' : 'u8';
    case 2:
      return type === 's16' ? 'i16' : 'u16';
    case 4:
      return all('f32') ? 'f32' : type === 's32' ? 'i32' : 'u32';
    default:
      return all('f64') ? 'f64' : 'u64';
  }
}
