import type { InstructionLowering, LoweringTable } from '../lowering.ts';
import { compare, constant, type Expression } from '@nccl-ts/ir';
import { and, both, choose, constantOf, either, is, not, number, or, xor } from './build.ts';
import { storedInLocal, lowered, type InstructionForm } from './form.ts';

const words = ['b16', 'b32', 'b64'] as const;

function logic(op: typeof and, ofPredicates: (left: Expression, right: Expression) => Expression): InstructionLowering {
  return lowered({ types: [[...words, 'pred']], operands: 3 }, (form) => {
    const { lowering, result } = form;
    if (form.type !== 'pred') return lowering.assign(result, op(form.value(1), form.value(2)));
    lowering.assign(result, ofPredicates(lowering.predicate(form.operand(1)), lowering.predicate(form.operand(2))));
  });
}

const notLowering = lowered({ types: [[...words, 'pred']], operands: 2 }, (form) => {
  const { lowering, result } = form;
  lowering.assign(result, not(form.type === 'pred' ? lowering.predicate(form.operand(1)) : form.value(1)));
});

const cnot = lowered({ types: [words], operands: 2 }, (form) => {
  const a = form.value(1);
  form.lowering.assign(form.result, choose(is('eq', a, 0), oneLike(a, 1), oneLike(a, 0)));
});

function oneLike(e: Expression, value: number): Expression {
  return number(e.type.kind === 'scalar' ? e.type.scalar : 'u32', value);
}

/**
 * Builds the function of `inputs` whose truth table is `table`. Bit number (a << 2 | b << 1 | c) is
 * its value for these inputs. The first input selects between two functions of the others.
 */
function ofTable(table: number, inputs: readonly Expression[]): Expression | boolean {
  const [input, ...rest] = inputs;
  if (input === undefined) return (table & 1) === 1;
  const size = 2 ** rest.length;
  const mask = 2 ** size - 1;
  const whenClear = table & mask;
  const whenSet = (table >> size) & mask;
  if (whenClear === whenSet) return ofTable(whenClear, rest);
  const clear = ofTable(whenClear, rest);
  const set = ofTable(whenSet, rest);
  if (typeof clear === 'boolean') {
    if (typeof set === 'boolean') return set ? input : not(input);
    return clear ? or(not(input), set) : and(input, set);
  }
  if (typeof set === 'boolean') return set ? or(input, clear) : and(not(input), clear);
  if ((whenSet ^ whenClear) === mask) return xor(input, clear);
  return or(and(input, set), and(not(input), clear));
}

function lookup(form: InstructionForm): Expression {
  const table = constantOf(form.value(4, 'u32')) ?? form.refuse('needs a constant table');
  const inputs = [1, 2, 3].map((index) => storedInLocal(form.lowering, 'input', form.value(index)));
  const value = ofTable(table & 0xff, inputs);
  return typeof value === 'boolean' ? constant('u32', value ? 0xffffffff : 0) : value;
}

const lop3 = lowered({ modifiers: [['or', 'and']], types: [['b32']], operands: [5, 6] }, (form) => {
  const { lowering, result } = form;
  const op = form.which(['or', 'and']);
  if (op === undefined) {
    if (form.instruction.operands.length === 6) form.refuse('needs .or or .and for its last operand');
    return lowering.assign(result, lookup(form));
  }
  if (result.kind !== 'pair') return form.refuse(`needs a predicate for the result of .${op}`);
  const value = lowering.keep('value', lookup(form));
  const isSet = is('ne', value, 0);
  const q = lowering.predicate(form.operand(5));
  lowering.assign(result.second, op === 'or' ? either(isSet, q) : both(isSet, q));
  lowering.assign(result.first, value);
});

export const logicLowerings: LoweringTable = {
  and: logic(and, both),
  or: logic(or, either),
  xor: logic(xor, (left, right) => compare('ne', left, right)),
  not: notLowering,
  cnot,
  lop3,
};
