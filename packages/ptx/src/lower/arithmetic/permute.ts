import type { LoweringTable, Lowering } from '../lowering.ts';
import type { Expression } from '@nccl-ts/ir';
import { and, choose, constantOf, is, mul, number, or, shl, shr } from './build.ts';
import { storedInLocal, lowered } from './form.ts';

/**
 * For each value of the low two bits of the third operand, the four selectors. The lowest byte's
 * selector comes first.
 */
const modes = {
  f4e: [0x3210, 0x4321, 0x5432, 0x6543],
  b4e: [0x5670, 0x6701, 0x7012, 0x0123],
  rc8: [0x0000, 0x1111, 0x2222, 0x3333],
  ecl: [0x3210, 0x3211, 0x3222, 0x3333],
  ecr: [0x0000, 0x1110, 0x2210, 0x3210],
  rc16: [0x1010, 0x3232, 0x1010, 0x3232],
} as const;
const names = ['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'] as const;

/** Byte `target` of the result, if the selectors are known. */
function knownByte(a: Expression, b: Expression, selector: number, target: number): Expression {
  const word = (selector & 4) === 0 ? a : b;
  const from = selector & 3;
  if ((selector & 8) !== 0) {
    // The sign of the byte in all of its bits.
    const sign = and(shr(word, from * 8 + 7), 1);
    const all = mul(sign, 255);
    return target === 0 ? all : shl(all, target * 8);
  }
  const distance = (target - from) * 8;
  const moved = distance === 0 ? word : distance > 0 ? shl(word, distance) : shr(word, -distance);
  return and(moved, 255 * 2 ** (target * 8));
}

function byteBy(a: Expression, b: Expression, selectors: Expression, target: number): Expression {
  const selector = target === 0 ? selectors : shr(selectors, target * 4);
  const word = choose(is('eq', and(selector, 4), 0), a, b);
  const byte = and(shr(word, mul(and(selector, 3), 8)), 255);
  const value = choose(is('eq', and(selector, 8), 0), byte, mul(shr(byte, 7), 255));
  return target === 0 ? value : shl(value, target * 8);
}

function permuted(lowering: Lowering, a: Expression, b: Expression, selectors: Expression): Expression {
  const known = constantOf(selectors);
  const word = known === undefined ? storedInLocal(lowering, 'selectors', selectors) : selectors;
  return [0, 1, 2, 3]
    .map((target) =>
      known === undefined ? byteBy(a, b, word, target) : knownByte(a, b, (known >>> (target * 4)) & 15, target),
    )
    .reduce(or);
}

const prmt = lowered({ modifiers: [names], types: [['b32']], operands: 4 }, (form) => {
  const { lowering } = form;
  const [a, b] = [storedInLocal(lowering, 'a', form.value(1)), storedInLocal(lowering, 'b', form.value(2))];
  const c = form.value(3, 'u32');
  const mode = form.which(names);
  lowering.assign(form.result, permuted(lowering, a, b, mode === undefined ? c : selectorsOf(lowering, mode, c)));
});

function selectorsOf(lowering: Lowering, mode: keyof typeof modes, c: Expression): Expression {
  const [first, second, third, fourth] = modes[mode];
  const known = constantOf(c);
  if (known !== undefined) return number('u32', modes[mode][known & 3] ?? first);
  const low = lowering.keep('mode', and(c, 3));
  const upper = choose(is('eq', low, 2), number('u32', third), fourth);
  return choose(is('eq', low, 0), number('u32', first), choose(is('eq', low, 1), number('u32', second), upper));
}

export const permuteLowerings: LoweringTable = { prmt };
