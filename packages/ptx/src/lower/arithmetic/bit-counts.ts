import type { InstructionLowering, LoweringTable, Lowering } from '../lowering.ts';
import { unary, type Expression, type UnaryOp } from '@nccl-ts/ir';
import { add, and, choose, is, not, number, or, shl, shr, sub, to } from './build.ts';
import { storedInLocal, lowered } from './form.ts';
import { shiftLeft, widthOf } from './shifts.ts';

function counted(op: UnaryOp): InstructionLowering {
  return lowered({ types: [['b32', 'b64']], operands: 2 }, ({ lowering, result, value }) =>
    lowering.assign(result, to('u32', unary(op, value(1)))),
  );
}

/**
 * The position of the highest bit that is set, or that differs from the sign. All bits are set if
 * there is none.
 */
const bfind = lowered({ modifiers: [['shiftamt']], types: [['u32', 'u64', 's32', 's64']], operands: 2 }, (form) => {
  const { lowering } = form;
  const source = storedInLocal(lowering, 'source', form.value(1));
  const value = form.type.startsWith('s') ? choose(is('lt', source, 0), not(source), source) : source;
  const width = widthOf(source);
  const zeros = lowering.keep('zeros', to('u32', unary('clz', value)));
  const found = form.says('shiftamt') ? zeros : sub(number('u32', width - 1), zeros);
  lowering.assign(form.result, choose(is('eq', zeros, width), number('u32', 0xffffffff), found));
});

const swaps = [
  [1, 0x55555555],
  [2, 0x33333333],
  [4, 0x0f0f0f0f],
  [8, 0x00ff00ff],
] as const;

/** Reverses the bits of a u32. */
export function reversed(lowering: Lowering, value: Expression): Expression {
  let result = value;
  for (const [count, mask] of swaps) {
    const word = storedInLocal(lowering, 'word', result);
    result = or(and(shr(word, count), mask), shl(and(word, mask), count));
  }
  const word = lowering.keep('word', result);
  return or(shr(word, 16), shl(word, 16));
}

const brev = lowered({ types: [['b32', 'b64']], operands: 2 }, (form) => {
  const { lowering, result } = form;
  if (form.type === 'b32') return lowering.assign(result, reversed(lowering, form.value(1)));
  const source = storedInLocal(lowering, 'source', form.value(1));
  const low = to('u64', reversed(lowering, to('u32', source)));
  const high = to('u64', reversed(lowering, to('u32', shr(source, 32))));
  lowering.assign(result, or(shl(low, 32), high));
});

/** The position of set bit number `nth` (from 0) in `mask`. All bits are set if there is none. */
function positionOfBit(lowering: Lowering, mask: Expression, nth: Expression): Expression {
  let rest = lowering.keep('rest', mask);
  let left = lowering.keep('left', nth);
  let position: Expression = number('u32', 0);
  const isThere = lowering.keep('found', is('gt', unary('popcount', rest), left));
  for (const step of [16, 8, 4, 2, 1]) {
    const below = lowering.keep('below', unary('popcount', and(rest, 2 ** step - 1)));
    const isAbove = lowering.keep('above', is('ge', left, below));
    left = lowering.keep('left', choose(isAbove, sub(left, below), left));
    rest = lowering.keep('rest', choose(isAbove, shr(rest, step), rest));
    position = lowering.keep('place', choose(isAbove, add(position, step), position));
  }
  return choose(isThere, position, 0xffffffff);
}

/**
 * Counts bits from `base` upwards, or downwards if the offset is negative. Downwards means upwards
 * in the reversed bits.
 */
const fns = lowered({ types: [['b32']], operands: 4 }, (form) => {
  const { lowering } = form;
  const mask = storedInLocal(lowering, 'mask', form.value(1));
  const base = lowering.keep('base', and(form.value(2, 'u32'), 31));
  const offset = storedInLocal(lowering, 'offset', form.value(3, 'i32'));
  const isDown = lowering.keep('down', is('lt', offset, 0));
  const ordered = choose(isDown, reversed(lowering, mask), mask);
  const from = lowering.keep('from', choose(isDown, sub(number('u32', 31), base), base));
  const above = and(ordered, shiftLeft(lowering, number('u32', 0xffffffff), from));
  const nth = choose(
    isDown,
    sub(unary('neg', offset), 1),
    choose(is('eq', offset, 0), number('i32', 0), sub(offset, 1)),
  );
  const position = lowering.keep('place', positionOfBit(lowering, above, to('u32', nth)));
  const isNone = is('eq', position, 0xffffffff);
  const real = choose(isDown, sub(number('u32', 31), position), position);
  const misses = choose(is('eq', offset, 0), is('ne', position, from), isNone);
  lowering.assign(
    form.result,
    choose(isNone, number('u32', 0xffffffff), choose(misses, number('u32', 0xffffffff), real)),
  );
});

export const bitCountLowerings: LoweringTable = { popc: counted('popcount'), clz: counted('clz'), bfind, brev, fns };
