import type { InstructionLowering } from '../lowering.ts';
import { binary, unary, type Expression } from '@nccl-ts/ir';
import { choose, is, kindOf, number } from './build.ts';
import { storedInLocal, lowered, type InstructionForm } from './form.ts';
import { integers } from './integer.ts';

/**
 * Division never traps in PTX. By zero its result is unspecified, and compilers move it above the
 * test that guards it. Here, as on hardware, the result then has all bits set. The smallest number
 * divided by -1 wraps.
 */
function division(op: 'div' | 'rem'): InstructionLowering {
  return lowered({ types: [integers], operands: 3 }, (form) => form.lowering.assign(form.result, quotient(op, form)));
}

function quotient(op: 'div' | 'rem', form: InstructionForm): Expression {
  const a = storedInLocal(form.lowering, 'a', form.value(1));
  const b = storedInLocal(form.lowering, 'b', form.value(2));
  const plain = binary(op, a, b);
  const isSigned = form.type.startsWith('s');
  if (b.kind === 'constant' && Number(b.value) !== 0 && Number(b.value) !== -1) return plain;
  const kind = kindOf(a);
  const byMinusOne = op === 'div' ? unary('neg', a) : number(kind, 0);
  const nonZero = isSigned ? choose(is('eq', b, -1), byMinusOne, plain) : plain;
  return choose(is('eq', b, 0), unary('bitNot', number(kind, 0)), nonZero);
}

export const divIntegers: InstructionLowering = division('div');
export const remIntegers: InstructionLowering = division('rem');
