import { constant, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { add } from './build.ts';

/** The address that an operand names, as a number. */
export function addressNumber(
  instruction: PtxInstruction,
  operand: PtxOperand,
  scalar: 'u32' | 'u64',
  lowering: Lowering,
): Expression {
  if (operand.kind !== 'address' || operand.base === undefined) {
    return lowering.fail('P1003', `${mnemonic(instruction)} needs an address`);
  }
  const { base, offset } = operand;
  if (base.kind === 'symbol') return lowering.value({ kind: 'symbol', name: base.name, offset }, scalar);
  const start = lowering.value({ kind: 'register', name: base.name, isNegated: false }, scalar);
  if (offset === 0n) return start;
  const by = scalar === 'u64' ? BigInt.asUintN(64, offset) : Number(BigInt.asUintN(32, offset));
  return add(start, constant(scalar, by));
}
