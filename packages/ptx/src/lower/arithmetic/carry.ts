import type { InstructionLowering, LoweringTable } from '../lowering.ts';
import { local, scalarType, type Expression } from '@nccl-ts/ir';
import { add, both, choose, either, is, kindOf, mul, number, sub, to, bits } from './build.ts';
import { storedInLocal, lowered, scalarOf, type InstructionForm } from './form.ts';
import { highProduct } from './product.ts';

const types = ['u32', 's32', 'u64', 's64'] as const;

function flag(form: InstructionForm): Expression {
  return local(form.lowering.carry(), scalarType('u32'));
}

/** Sets the flag for `.cc`, and then the result. All operands must already be read. */
function give(form: InstructionForm, value: Expression, carry: Expression): void {
  const { lowering } = form;
  if (form.says('cc')) {
    const set = choose(carry, number('u32', 1), 0);
    lowering.emit({ kind: 'assign', local: lowering.carry(), value: set, span: lowering.span });
  }
  lowering.assign(form.result, value);
}

/** `a + b` plus the incoming flag. */
function added(form: InstructionForm, left: Expression, right: Expression, takesCarry: boolean): void {
  const { lowering } = form;
  const a = storedInLocal(lowering, 'a', left);
  const partial = lowering.keep('sum', add(a, right));
  const isOver = is('lt', partial, a);
  if (!takesCarry) return give(form, partial, isOver);
  const total = lowering.keep('total', add(partial, to(kindOf(partial), flag(form))));
  give(form, total, either(isOver, is('lt', total, partial)));
}

function subtracted(form: InstructionForm, left: Expression, right: Expression, takesCarry: boolean): void {
  const { lowering } = form;
  const [a, b] = [storedInLocal(lowering, 'a', left), storedInLocal(lowering, 'b', right)];
  const rest = lowering.keep('rest', sub(a, b));
  const isUnder = is('lt', a, b);
  if (!takesCarry) return give(form, rest, isUnder);
  const taken = lowering.keep('taken', to(kindOf(rest), flag(form)));
  give(form, lowering.keep('total', sub(rest, taken)), either(isUnder, both(is('eq', rest, 0), is('ne', taken, 0))));
}

function unsigned(form: InstructionForm, index: number): Expression {
  return form.value(index, scalarOf(form.type).endsWith('64') ? 'u64' : 'u32');
}

function sum(takesCarry: boolean, step: typeof added): InstructionLowering {
  return lowered({ modifiers: [['cc']], types: [types], operands: 3 }, (form) =>
    step(form, unsigned(form, 1), unsigned(form, 2), takesCarry),
  );
}

function mad(takesCarry: boolean): InstructionLowering {
  return lowered({ modifiers: [['cc'], ['lo', 'hi']], types: [types], operands: 4 }, (form) => {
    const part = form.which(['lo', 'hi']) ?? form.refuse('needs .lo or .hi');
    const [a, b] = [form.value(1), form.value(2)];
    const product = part === 'lo' ? mul(a, b) : highProduct(form.lowering, a, b);
    const c = unsigned(form, 3);
    added(form, bits(kindOf(c), product), c, takesCarry);
  });
}

export const addCarry: InstructionLowering = sum(false, added);
export const subCarry: InstructionLowering = sum(false, subtracted);
export const madCarry: InstructionLowering = mad(false);

/** The instructions that read the flag. */
export const carryLowerings: LoweringTable = { addc: sum(true, added), subc: sum(true, subtracted), madc: mad(true) };
