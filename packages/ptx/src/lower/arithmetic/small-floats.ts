import type { InstructionLowering } from '../lowering.ts';
import { constant, math, type Expression } from '@nccl-ts/ir';
import { abs, add, and, bits, both, choose, either, is, isNaN, min, mul, or, shl, shr, sub, to } from './build.ts';
import { packed, rectified, sourceOf } from './float-modes.ts';
import { lowered, storedInLocal, type ArithmeticType, type InstructionForm } from './form.ts';

/** A float without infinities and NaNs. */
interface SmallFloat {
  readonly fraction: number;
  readonly bias: number;
  readonly largest: number;
  /** The bits of one of the two values in a register. */
  readonly width: 4 | 8;
  /** The bits of a value, with its sign. */
  readonly size: 4 | 6;
}

const floats: Readonly<Partial<Record<string, SmallFloat>>> = {
  e2m1x2: { fraction: 1, bias: 1, largest: 6, width: 4, size: 4 },
  e2m3x2: { fraction: 3, bias: 1, largest: 7.5, width: 8, size: 6 },
  e3m2x2: { fraction: 2, bias: 3, largest: 28, width: 8, size: 6 },
};

const small = ['e2m1x2', 'e2m3x2', 'e3m2x2', 'ue8m0x2'] as const;
const wide = ['f32', 'f16x2', 'bf16x2'] as const;

/**
 * Lowers `cvt` of an f32 to tf32, which is an f32 of 10 fraction bits in a 32-bit register. `.rna`
 * rounds ties away from zero.
 */
export const convertToTf32: InstructionLowering = lowered(
  {
    modifiers: [['rn', 'rz', 'rna'], ['satfinite'], ['relu']],
    types: [['tf32'], ['f32']],
    operands: 2,
  },
  (form) => {
    const { lowering } = form;
    const mode = form.which(['rn', 'rz', 'rna']) ?? form.refuse('needs .rn, .rz or .rna');
    if (mode === 'rna' && form.says('relu')) form.refuse('cannot use .relu with .rna');
    const given = form.value(1, 'f32');
    const value = form.says('relu') ? rectified(lowering.keep('value', given)) : given;
    const pattern = lowering.keep('pattern', bits('u32', value));
    const tie = mode === 'rn' ? add(and(shr(pattern, 13), 1), 0xfff) : constant('u32', mode === 'rna' ? 0x1000 : 0);
    const kept = lowering.keep('kept', and(add(pattern, tie), 0xffffe000));
    const isFinite = is('lt', and(pattern, 0x7fffffff), 0x7f800000);
    const isOver = both(isFinite, is('ge', and(kept, 0x7fffffff), 0x7f800000));
    const sign = and(pattern, 0x80000000);
    const most = or(sign, 0x7f7fe000);
    const isInfinite = is('eq', and(pattern, 0x7fffffff), 0x7f800000);
    const rounded = choose(isFinite, kept, choose(isInfinite, pattern, constant('u32', 0x7fffffff)));
    const isCut = form.says('satfinite') ? either(isOver, isInfinite) : undefined;
    lowering.assign(form.result, isCut === undefined ? rounded : choose(isCut, most, rounded));
  },
);

/** True if a conversion has a type of 4 or 6 bits, or of an exponent only. */
export function isOfSmallFloats(words: readonly string[]): boolean {
  return words.some((word) => small.some((type) => type === word));
}

/**
 * Lowers `cvt` to and from pairs of e2m1, e2m3, e3m2 and ue8m0. Two f32 or the halves of a register
 * become a pair, and a pair becomes the halves of a register.
 *
 * @see PTX ISA, `cvt`
 */
export const convertSmallFloats: InstructionLowering = lowered(
  {
    modifiers: [['rn', 'rz', 'rp'], ['satfinite'], ['relu']],
    types: [
      [...small, 'f16x2', 'bf16x2'],
      [...small, ...wide],
    ],
    operands: [2, 3],
  },
  (form) => {
    const [target, source] = form.types;
    if (target === undefined || source === undefined) return;
    const isWidening = source.startsWith('e') || source === 'ue8m0x2';
    if (isWidening === (target.startsWith('e') || target === 'ue8m0x2')) {
      return form.refuse(`cannot convert .${source} to .${target}`);
    }
    if (isWidening) widen(form, target, source);
    else narrow(form, target, source);
  },
);

function narrow(form: InstructionForm, target: ArithmeticType, source: ArithmeticType): void {
  const { lowering } = form;
  const needed = source === 'f32' ? 3 : 2;
  if (form.instruction.operands.length !== needed) form.refuse(`needs ${needed} operands`);
  // Of two operands, the first has the high bits.
  const given = source === 'f32' ? [form.value(2, 'f32'), form.value(1, 'f32')] : sourceOf(form, 1, source);
  const float = floats[target];
  const codes = given.map((value) => {
    const one = lowering.keep('value', to('f32', value));
    return float === undefined ? exponentOf(form, one) : encoded(form, float, one);
  });
  const [low, high] = codes;
  if (low === undefined || high === undefined) return;
  const width = float?.width ?? 8;
  lowering.assign(form.result, to(width === 4 ? 'u8' : 'u16', or(low, shl(high, width))));
}

/** The bits of the nearest value, or with `.rz` of the next one towards zero. A NaN is largest. */
function encoded(form: InstructionForm, { fraction, bias, largest, size }: SmallFloat, given: Expression): Expression {
  const { lowering } = form;
  const mode = form.which(['rn', 'rz']) ?? form.refuse('needs .rn or .rz');
  if (!form.says('satfinite')) form.refuse('needs .satfinite');
  const value = form.says('relu') ? storedInLocal(lowering, 'value', rectified(given)) : given;
  const largestValue = constant('f32', largest);
  const magnitude = lowering.keep('magnitude', choose(isNaN(value), largestValue, min(abs(value), largestValue)));
  const pattern = lowering.keep('pattern', bits('u32', magnitude));
  const dropped = 23 - fraction;
  const half = add(and(shr(pattern, dropped), 1), 2 ** (dropped - 1) - 1);
  const kept = mode === 'rn' ? add(pattern, half) : pattern;
  const normal = sub(shr(kept, dropped), (127 - bias) * 2 ** fraction);
  // The numbers below the least normal one are multiples of the least number.
  const multiple = mul(magnitude, 2 ** (fraction + bias - 1));
  const subnormal = to('u32', mode === 'rn' ? math('round', [multiple]) : multiple);
  const code = choose(is('lt', magnitude, 2 ** (1 - bias)), subnormal, normal);
  const isNegative = both(is('ge', bits('u32', value), 2 ** 31), is('eq', value, value));
  return or(code, choose(isNegative, constant('u32', 2 ** (size - 1)), 0));
}

/** The exponent of the magnitude, from 2^-127 on. A NaN is 255. */
function exponentOf(form: InstructionForm, value: Expression): Expression {
  const { lowering } = form;
  const mode = form.which(['rz', 'rp']) ?? form.refuse('needs .rz or .rp');
  if (form.says('relu')) form.refuse('cannot use .relu with .ue8m0x2');
  const pattern = lowering.keep('pattern', and(bits('u32', value), 0x7fffffff));
  const exponent = lowering.keep('exponent', shr(pattern, 23));
  const hasMore = both(is('ne', and(pattern, 0x7fffff), 0), is('gt', pattern, 0x400000));
  const isUp = both(hasMore, is('lt', pattern, 0x7f800000));
  const rounded = mode === 'rp' ? lowering.keep('rounded', choose(isUp, add(exponent, 1), exponent)) : exponent;
  if (!form.says('satfinite')) return rounded;
  return choose(both(is('eq', rounded, 255), is('le', pattern, 0x7f800000)), constant('u32', 254), rounded);
}

function widen(form: InstructionForm, target: ArithmeticType, source: ArithmeticType): void {
  const { lowering } = form;
  if (form.which(['rn']) === undefined) form.refuse('needs .rn');
  if (form.says('satfinite')) form.refuse('cannot use .satfinite between these types');
  if (form.instruction.operands.length !== 2) form.refuse('converts one register, not two');
  const float = floats[source];
  if (float === undefined && (target !== 'bf16x2' || form.says('relu'))) {
    form.refuse(`cannot convert .${source} to .${target}`, 'use cvt.rn.bf16x2.ue8m0x2');
  }
  const width = float?.width ?? 8;
  const pair = lowering.keep('pair', to('u32', form.value(1, width === 4 ? 'u8' : 'u16')));
  const halves = [0, 1].map((index) => {
    const code = lowering.keep('code', and(index === 0 ? pair : shr(pair, width), 2 ** width - 1));
    if (float === undefined) return powerOf(code);
    const value = decoded(form, float, code);
    const result = to(target === 'f16x2' ? 'f16' : 'bf16', value);
    return form.says('relu') ? rectified(storedInLocal(lowering, 'result', result)) : result;
  });
  lowering.assign(form.result, packed(target, halves));
}

function decoded(form: InstructionForm, { fraction, bias, size }: SmallFloat, code: Expression): Expression {
  const magnitude = form.lowering.keep('magnitude', and(code, 2 ** (size - 1) - 1));
  const normal = bits('f32', add(shl(magnitude, 23 - fraction), (127 - bias) * 2 ** 23));
  const subnormal = mul(to('f32', magnitude), 2 ** (1 - bias - fraction));
  const value = bits('u32', choose(is('lt', magnitude, 2 ** fraction), subnormal, normal));
  return bits('f32', or(value, shl(shr(and(code, 2 ** (size - 1)), size - 1), 31)));
}

/** A power of two as a bf16: 2^-127 is half of the least normal one, and 255 a NaN. */
function powerOf(code: Expression): Expression {
  const pattern = choose(is('eq', code, 0), constant('u32', 0x40), shl(code, 7));
  return bits('bf16', to('u16', choose(is('eq', code, 255), constant('u32', 0x7fff), pattern)));
}
