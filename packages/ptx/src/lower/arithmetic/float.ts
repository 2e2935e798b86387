import { at } from '@nccl-ts/core';
import type { InstructionLowering, LoweringTable } from '../lowering.ts';
import { binary, math, unary, type Expression, type MathFunction } from '@nccl-ts/ir';
import { abs, and, both, choose, either, is, kindOf, mul, number, sub, to, xor } from './build.ts';
import { directedDoubleProduct, directedDoubleSum, directedSum, moved } from './directed.ts';
import { bitsOf, finished, floatSource, give, packedVector, pairOf, rounding } from './float-modes.ts';
import { isPacked, storedInLocal, lowered, scalarOf, type ArithmeticType, type InstructionForm } from './form.ts';

export const halves = ['f16', 'f16x2', 'bf16', 'bf16x2'] as const;
const floats = ['f32', 'f32x2', 'f64', ...halves] as const;
const roundings = ['rn', 'rz', 'rm', 'rp'] as const;
const withoutMode: readonly ArithmeticType[] = ['f64', 'bf16', 'bf16x2'];

/** Refuses modifiers that the type does not support. */
function checkModes(form: InstructionForm, directed: readonly ArithmeticType[] = ['f32', 'f32x2']): void {
  if (form.says('ftz') && withoutMode.includes(form.type)) form.refuse(`cannot use .ftz with .${form.type}`);
  if (form.says('sat') && (withoutMode.includes(form.type) || form.type === 'f32x2')) {
    form.refuse(`cannot use .sat with .${form.type}`);
  }
  const direction = rounding(form);
  if (direction === 'rn' || directed.includes(form.type)) return;
  form.refuse(`rounds .${form.type} by .${direction}, which is not supported`, 'use .rn, or .f32');
}

const isPlain = (form: InstructionForm): boolean => !form.says('ftz') && !form.says('sat') && !form.says('relu');

/**
 * Emits `op` of the elements of operands 1 to `count`. It uses whole vectors if no mode needs more.
 */
export function elementwise(
  form: InstructionForm,
  count: number,
  op: (args: readonly Expression[]) => Expression,
): void {
  const indices = Array.from({ length: count }, (_, index) => index + 1);
  if (isPacked(form.type) && isPlain(form) && rounding(form) === 'rn') {
    const pairs = indices.map((index) => pairOf(form, index));
    return form.lowering.assign(form.result, packedVector(form.type, op(pairs)));
  }
  const sources = indices.map((index) => floatSource(form, index));
  const width = isPacked(form.type) ? 2 : 1;
  const results = Array.from({ length: width }, (_, lane) => {
    const args = sources.map((elements) => at(elements, lane));
    return finished(form, op(args));
  });
  give(form, results);
}

function sum(op: 'add' | 'sub'): InstructionLowering {
  const modifiers = [roundings, ['ftz'], ['sat']];
  return lowered({ modifiers, types: [floats], operands: 3 }, (form) => {
    checkModes(form, ['f32', 'f32x2', 'f64']);
    elementwise(form, 2, ([left, right]) => {
      if (left === undefined || right === undefined) return form.refuse('has too few operands');
      if (rounding(form) === 'rn') return binary(op, left, right);
      const [a, b] = [storedInLocal(form.lowering, 'a', left), storedInLocal(form.lowering, 'b', right)];
      const addend = op === 'add' ? b : unary('neg', b);
      const zero = unary('neg', sub(unary('neg', a), addend));
      if (form.type === 'f64') {
        return directedDoubleSum(
          form.lowering,
          rounding(form),
          a,
          storedInLocal(form.lowering, 'addend', addend),
          zero,
        );
      }
      return directedSum(form.lowering, rounding(form), 'f32', [to('f64', a), to('f64', addend)], zero);
    });
  });
}

export const addFloats: InstructionLowering = sum('add');
export const subFloats: InstructionLowering = sum('sub');

export const mulFloats: InstructionLowering = lowered(
  { modifiers: [roundings, ['ftz'], ['sat']], types: [floats], operands: 3 },
  (form) => {
    checkModes(form, ['f32', 'f32x2', 'f64']);
    elementwise(form, 2, ([left, right]) => {
      if (left === undefined || right === undefined) return form.refuse('has too few operands');
      if (rounding(form) === 'rn') return mul(left, right);
      const { lowering } = form;
      if (form.type === 'f64') {
        return directedDoubleProduct(
          lowering,
          rounding(form),
          storedInLocal(lowering, 'a', left),
          storedInLocal(lowering, 'b', right),
        );
      }
      // A double holds the product exactly.
      const exact = lowering.keep('exact', mul(to('f64', left), to('f64', right)));
      const nearest = lowering.keep('nearest', to('f32', exact));
      const wide = to('f64', nearest);
      return moved(lowering, rounding(form), nearest, is('lt', exact, wide), is('gt', exact, wide));
    });
  },
);

function fused(types: readonly ArithmeticType[]): InstructionLowering {
  const modifiers = [roundings, ['ftz'], ['sat', 'relu']];
  return lowered({ modifiers, types: [types], operands: 4 }, (form) => {
    checkModes(form);
    if (form.which(roundings) === undefined) form.refuse('needs .rn, .rz, .rm or .rp');
    if (form.says('relu') && !halves.some((type) => type === form.type)) {
      form.refuse(`cannot use .relu with .${form.type}`);
    }
    elementwise(form, 3, (args) => {
      if (rounding(form) === 'rn') return math('fma', args);
      const [a, b, c] = args.map((arg) => storedInLocal(form.lowering, 'factor', arg));
      if (a === undefined || b === undefined || c === undefined) return form.refuse('has too few operands');
      const zero = unary('neg', math('fma', [unary('neg', a), b, unary('neg', c)]));
      const exact = mul(to('f64', a), to('f64', b));
      return directedSum(form.lowering, rounding(form), 'f32', [exact, to('f64', c)], zero);
    });
  });
}

export const fma: InstructionLowering = fused(floats);
/** `mad` of floats is `fma` on every supported target. */
export const madFloats: InstructionLowering = fused(['f32', 'f64']);

/** The quotient rounded as the form says, of two f32 or f64. */
function quotient(form: InstructionForm, left: Expression, right: Expression): Expression {
  const mode = rounding(form);
  if (mode === 'rn') return binary('div', left, right);
  const { lowering } = form;
  const [a, b] = [storedInLocal(lowering, 'a', left), storedInLocal(lowering, 'b', right)];
  const nearest = lowering.keep('nearest', binary('div', a, b));
  // The sign of the remainder, times the sign of the divisor, shows on which side of the rounded
  // quotient the exact one is.
  const rest = lowering.keep('rest', sub(to('f64', a), mul(to('f64', nearest), to('f64', b))));
  const positive = is('gt', b, 0);
  const lower = is('lt', rest, 0);
  const higher = is('gt', rest, 0);
  return moved(lowering, mode, nearest, choose(positive, lower, higher), choose(positive, higher, lower));
}

const precisions = [...roundings, 'approx', 'full'] as const;

/** Approximate instructions are computed as exactly as the type allows. */
function needsPrecision(form: InstructionForm, allowed: readonly string[]): void {
  const precision = form.which(precisions);
  const choice = allowed.map((word) => `.${word}`).join(', ');
  if (precision === undefined) form.refuse(`needs one of ${choice}`);
  else if (!allowed.includes(precision)) form.refuse(`cannot use .${precision}`, `use one of ${choice}`);
  if (form.type !== 'f64') return;
  if (form.says('ftz')) form.refuse('uses .ftz with .f64, which is not supported');
  const direction = rounding(form);
  if (direction !== 'rn') form.refuse(`rounds .f64 by .${direction}, which is not supported`, 'use .rn, or .f32');
  if (precision === 'approx') form.refuse('uses .approx with .f64, which is not supported', 'use .rn');
}

export const divFloats: InstructionLowering = lowered(
  { modifiers: [precisions, ['ftz']], types: [['f32', 'f64']], operands: 3 },
  (form) => {
    needsPrecision(form, form.type === 'f64' ? roundings : precisions);
    elementwise(form, 2, ([a, b]) =>
      a === undefined || b === undefined ? form.refuse('has too few operands') : quotient(form, a, b),
    );
  },
);

const rcp = lowered({ modifiers: [precisions, ['ftz']], types: [['f32', 'f64']], operands: 2 }, (form) => {
  needsPrecision(form, [...roundings, 'approx']);
  elementwise(form, 1, ([a]) =>
    a === undefined ? form.refuse('has too few operands') : quotient(form, number(kindOf(a), 1), a),
  );
});

const sqrt = lowered({ modifiers: [precisions, ['ftz']], types: [['f32', 'f64']], operands: 2 }, (form) => {
  needsPrecision(form, [...roundings, 'approx']);
  elementwise(form, 1, (args) => {
    const mode = rounding(form);
    const [a] = args;
    if (mode === 'rn' || a === undefined) return math('sqrt', args);
    const { lowering } = form;
    const nearest = lowering.keep('nearest', math('sqrt', args));
    const rest = lowering.keep('rest', sub(to('f64', a), mul(to('f64', nearest), to('f64', nearest))));
    return moved(lowering, mode, nearest, is('lt', rest, 0), is('gt', rest, 0));
  });
});

/** Approximate instructions. They return the IR's result, rounded to nearest. */
function approximate(
  name: MathFunction,
  types: readonly ArithmeticType[],
  ftz: readonly ArithmeticType[],
): InstructionLowering {
  return lowered({ modifiers: [['approx'], ['ftz']], types: [types], operands: 2 }, (form) => {
    if (!form.says('approx')) form.refuse('needs .approx');
    if (form.says('ftz') && !ftz.includes(form.type)) form.refuse(`cannot use .ftz with .${form.type}`);
    // For bf16 `.ftz` has no effect, because its subnormals are always flushed, like those of f32.
    elementwise(form, 1, (args) => math(name, args));
  });
}

/** The sign is a bit, so a 16-bit register need not become a float. */
function signs(change: 'abs' | 'neg'): InstructionLowering {
  return lowered({ modifiers: [['ftz']], types: [['f32', 'f64', ...halves]], operands: 2 }, (form) => {
    if (form.says('ftz') && withoutMode.includes(form.type)) form.refuse(`cannot use .ftz with .${form.type}`);
    const isHalf = halves.some((type) => type === form.type);
    if (!isHalf || form.says('ftz')) {
      return elementwise(form, 1, ([a]) =>
        a === undefined ? form.refuse('has too few operands') : change === 'abs' ? abs(a) : unary('neg', a),
      );
    }
    const value = form.value(1, isPacked(form.type) ? 'u32' : 'u16');
    const [sign, rest] = isPacked(form.type) ? [0x80008000, 0x7fff7fff] : [0x8000, 0x7fff];
    form.lowering.assign(form.result, change === 'abs' ? and(value, rest) : xor(value, sign));
  });
}

export const absFloats: InstructionLowering = signs('abs');
export const negFloats: InstructionLowering = signs('neg');

const copysign = lowered({ types: [['f32', 'f64']], operands: 3 }, (form) => {
  const kind = scalarOf(form.type);
  const [sign, value] = [form.value(1), form.value(2)];
  const pattern = form.lowering.keep('pattern', bitsOf(sign));
  const isNegative = is('ge', pattern, kind === 'f32' ? 2 ** 31 : 2 ** 63);
  const magnitude = form.lowering.keep('magnitude', abs(value));
  form.lowering.assign(form.result, choose(isNegative, unary('neg', magnitude), magnitude));
});

const properties = ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'] as const;

const testp = lowered({ modifiers: [properties], types: [['f32', 'f64']], operands: 2 }, (form) => {
  const { lowering } = form;
  const property = form.which(properties) ?? form.refuse('needs a property, such as .finite');
  const a = storedInLocal(lowering, 'a', form.value(1));
  const size = lowering.keep('size', abs(a));
  const least = form.type === 'f32' ? 2 ** -126 : 2 ** -1022;
  lowering.assign(form.result, testOf(property, size, least));
});

function testOf(property: (typeof properties)[number], size: Expression, least: number): Expression {
  switch (property) {
    case 'finite':
      return is('lt', size, Number.POSITIVE_INFINITY);
    case 'infinite':
      return is('eq', size, Number.POSITIVE_INFINITY);
    case 'number':
      return is('eq', size, size);
    case 'notanumber':
      return is('ne', size, size);
    case 'normal':
      // Zeros count as normal numbers.
      return either(is('eq', size, 0), both(is('ge', size, least), is('lt', size, Number.POSITIVE_INFINITY)));
    case 'subnormal':
      return both(is('gt', size, 0), is('lt', size, least));
  }
}

/** Float instructions that have no integer form. */
export const floatLowerings: LoweringTable = {
  rcp,
  sqrt,
  rsqrt: approximate('rsqrt', ['f32', 'f64'], ['f32']),
  sin: approximate('sin', ['f32'], ['f32']),
  cos: approximate('cos', ['f32'], ['f32']),
  lg2: approximate('log2', ['f32'], ['f32']),
  ex2: approximate('exp2', ['f32', ...halves], ['f32', 'bf16', 'bf16x2']),
  tanh: approximate('tanh', ['f32', ...halves], []),
  copysign,
  testp,
};
