import type { InstructionLowering } from '../lowering.ts';
import { binary, math, unary, type Expression } from '@nccl-ts/ir';
import { mul, sub, to } from './build.ts';
import { directedSum } from './directed.ts';
import { rounding, saturated } from './float-modes.ts';
import { lowered, storedInLocal, type FormRules, type InstructionForm } from './form.ts';

const narrow = ['f16', 'bf16'] as const;
const rules = (operands: number): FormRules => ({
  modifiers: [['rn', 'rz', 'rm', 'rp'], ['sat']],
  types: [['f32'], narrow],
  operands,
});

/** True for an f32 instruction whose first operands are f16 or bf16: `add.rn.f32.bf16`. */
export function isMixedPrecision(words: readonly string[]): boolean {
  const at = words.indexOf('f32');
  return at > 0 && narrow.some((type) => words[at + 1] === type);
}

/** An operand that is widened to f32, which is exact. */
function widened(form: InstructionForm, index: number): Expression {
  return to('f32', form.value(index, form.types[1] === 'f16' ? 'f16' : 'bf16'));
}

function give(form: InstructionForm, result: Expression): void {
  form.lowering.assign(form.result, form.says('sat') ? saturated(result) : result);
}

/** `add` and `sub` of an f16 or bf16 and an f32. */
function sum(op: 'add' | 'sub'): InstructionLowering {
  return lowered(rules(3), (form) => {
    const { lowering } = form;
    const [left, right] = [widened(form, 1), form.value(2, 'f32')];
    if (rounding(form) === 'rn') return give(form, binary(op, left, right));
    const a = storedInLocal(lowering, 'a', left);
    const addend = storedInLocal(lowering, 'addend', op === 'add' ? right : unary('neg', right));
    const zero = unary('neg', sub(unary('neg', a), addend));
    give(form, directedSum(lowering, rounding(form), 'f32', [to('f64', a), to('f64', addend)], zero));
  });
}

export const addMixed: InstructionLowering = sum('add');
export const subMixed: InstructionLowering = sum('sub');

/** `fma` of two f16 or bf16 and an f32. */
export const fusedMixed: InstructionLowering = lowered(rules(4), (form) => {
  if (form.which(['rn', 'rz', 'rm', 'rp']) === undefined) form.refuse('needs .rn, .rz, .rm or .rp');
  const { lowering } = form;
  const given = [widened(form, 1), widened(form, 2), form.value(3, 'f32')];
  if (rounding(form) === 'rn') return give(form, math('fma', given));
  const [a, b, c] = given.map((one) => storedInLocal(lowering, 'factor', one));
  if (a === undefined || b === undefined || c === undefined) return;
  const zero = unary('neg', math('fma', [unary('neg', a), b, unary('neg', c)]));
  const exact = mul(to('f64', a), to('f64', b));
  give(form, directedSum(lowering, rounding(form), 'f32', [exact, to('f64', c)], zero));
});
