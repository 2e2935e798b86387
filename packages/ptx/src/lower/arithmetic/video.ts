import type { Expression } from '@nccl-ts/ir';
import type { LoweringTable } from '../lowering.ts';
import { add, and, choose, is, min, or, shl, shr, sub, to } from './build.ts';
import { lowered, type InstructionForm } from './form.ts';

const words = ['u32', 's32'] as const;

/**
 * Lowers `vabsdiff2` and `vabsdiff4`: the absolute differences of the parts of two registers. They
 * form the result, or `.add` adds them all to the third register.
 */
function differences(parts: 2 | 4): ReturnType<typeof lowered> {
  const width = 32 / parts;
  const modifiers = [['sat'], ['add']];
  return lowered({ modifiers, types: [words, words, words], operands: 4 }, (form) => {
    const { lowering } = form;
    if (form.says('sat') && form.says('add')) form.refuse('cannot have both .sat and .add');
    const [first, second] = [registerOf(form, 1), registerOf(form, 2)];
    const all = Array.from({ length: parts }, (_, i) => {
      const a = lowering.keep('a', partOf(first, form.types[1] === 's32', i, width));
      const b = lowering.keep('b', partOf(second, form.types[2] === 's32', i, width));
      const difference = to('u32', choose(is('gt', a, b), sub(a, b), sub(b, a)));
      const isSigned = form.types[0] === 's32';
      const limited = form.says('sat') ? min(difference, 2 ** (isSigned ? width - 1 : width) - 1) : difference;
      return lowering.keep('difference', limited);
    });
    const mask = 2 ** width - 1;
    const result = form.says('add')
      ? all.reduce((sum, difference) => add(sum, difference), form.value(3, 'u32'))
      : all.map((one, i) => shl(and(one, mask), width * i)).reduce((joined, one) => or(joined, one));
    lowering.assign(form.result, result);
  });
}

function registerOf(form: InstructionForm, index: number): Expression {
  return form.lowering.keep('parts', form.value(index, 'u32'));
}

/** Part `i` of a register, as an i32. */
function partOf(register: Expression, isSigned: boolean, i: number, width: number): Expression {
  const atTop = shl(register, 32 - width * (i + 1));
  return isSigned ? shr(to('i32', atTop), 32 - width) : to('i32', shr(atTop, 32 - width));
}

export const videoLowerings: LoweringTable = Object.freeze({ vabsdiff2: differences(2), vabsdiff4: differences(4) });
