import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { BinaryOp, CompareOp, MathFunction, UnaryOp } from '@nccl-ts/ir';

import { helper } from '../emit-shared/context.ts';
import { isBig, isFloat } from '../emit-shared/types.ts';
import { value, type WasmValue } from './function-builder.ts';
import type { HelperName, ImportName } from './helpers.ts';
import { block, f64, i32, i64, lines, op, type WasmCode, type Instruction } from './instruction.ts';
import type { PlainOp } from './opcodes.ts';
import { keep, type WasmScope } from './scope.ts';
import { heldIn } from './types.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';

/** Returns the source location that a faulting operation reports. */
export type SiteOf = () => number;

/** Reduces a 32-bit whole number modulo 2^N to the range of `kind`. */
export function wrapCode(kind: ScalarKind): WasmCode {
  switch (kind) {
    case 'i8':
      return [op('i32.extend8_s')];
    case 'u8':
      return [i32(255), op('i32.and')];
    case 'i16':
      return [op('i32.extend16_s')];
    case 'u16':
      return [i32(65535), op('i32.and')];
    case 'i32':
    case 'u32':
    case 'i64':
    case 'u64':
    case 'bool':
    case 'addr':
    case 'f16':
    case 'bf16':
    case 'f32':
    case 'f64':
    case 'e4m3':
    case 'e5m2':
      return [];
  }
}

const rounders: Readonly<Partial<Record<ScalarKind, HelperName>>> = {
  f16: 'roundToF16',
  bf16: 'roundToBf16',
  e4m3: 'roundToE4m3',
  e5m2: 'roundToE5m2',
};

const singleRounders: Readonly<Partial<Record<ScalarKind, HelperName>>> = {
  f16: 'singleToF16',
  bf16: 'singleToBf16',
  e4m3: 'singleToE4m3',
  e5m2: 'singleToE5m2',
};

/** Rounds an f32 to the float `kind`, which must not be wider. */
export function roundedSingleCode(scope: WasmScope, kind: ScalarKind): WasmCode {
  const rounder = singleRounders[kind];
  return rounder === undefined ? [] : scope.region.helpers.call(rounder);
}

/** Rounds a double to the float `kind`. */
export function roundedCode(scope: WasmScope, kind: ScalarKind): WasmCode {
  const rounder = rounders[kind];
  if (rounder !== undefined) return scope.region.helpers.call(rounder);
  return kind === 'f32' ? [op('f32.demote_f64')] : [];
}

/** Converts a float to a double. */
export function doubleCode(kind: ScalarKind): WasmCode {
  return heldIn[kind] === 'f32' ? [op('f64.promote_f32')] : [];
}

/** True if floats of `kind` have their own instructions. Narrower ones are rounded doubles. */
function isNative(kind: ScalarKind): kind is 'f32' | 'f64' {
  return kind === 'f32' || kind === 'f64';
}

const floatOps: Readonly<Partial<Record<BinaryOp, 'add' | 'sub' | 'mul' | 'div'>>> = {
  add: 'add',
  sub: 'sub',
  mul: 'mul',
  div: 'div',
};

export function binary(
  name: BinaryOp,
  kind: ScalarKind,
  a: WasmValue,
  b: WasmValue,
  scope: WasmScope,
  site: SiteOf,
): WasmValue {
  if (isFloat(kind)) return floatBinary(name, kind, a, b, scope);
  if (kind === 'addr') return addressBinary(name, a, b, scope, site);
  const type = heldIn[kind];
  const width = type === 'i64' ? 'i64' : 'i32';
  if (kind === 'bool')
    return value('i32', ...a.code, ...b.code, op(`i32.${name === 'or' || name === 'xor' ? name : 'and'}`));
  const signed = scalarInfo[kind].signed;
  switch (name) {
    case 'add':
    case 'sub':
    case 'mul':
      return value(type, ...a.code, ...b.code, op(`${width}.${name}`), ...wrapCode(kind));
    case 'and':
    case 'or':
    case 'xor':
      return value(type, ...a.code, ...b.code, op(`${width}.${name}`));
    case 'div':
    case 'rem':
      return division(name, kind, a, b, scope, site);
    case 'shl':
      return value(type, ...a.code, ...shiftCount(kind, b), op(`${width}.shl`), ...wrapCode(kind));
    case 'shr':
      return value(type, ...a.code, ...shiftCount(kind, b), op(`${width}.${signed ? 'shr_s' : 'shr_u'}`));
    case 'min':
    case 'max': {
      const [x, y] = [keep(scope, a), keep(scope, b)];
      const less: PlainOp = `${width}.${name === 'min' ? 'lt' : 'gt'}_${signed ? 's' : 'u'}`;
      return value(type, ...x.code, ...y.code, ...x.code, ...y.code, op(less), op('select'));
    }
  }
}

/** The instructions themselves mask the counts of 32-bit and 64-bit shifts. */
function shiftCount(kind: ScalarKind, b: WasmValue): WasmCode {
  const { bits } = scalarInfo[kind];
  return bits < 32 ? [...b.code, i32(bits - 1), op('i32.and')] : b.code;
}

function floatBinary(name: BinaryOp, kind: ScalarKind, a: WasmValue, b: WasmValue, scope: WasmScope): WasmValue {
  const type = heldIn[kind] === 'f64' ? 'f64' : 'f32';
  if (name === 'min' || name === 'max') {
    // If one of the two is NaN, the result is the other.
    const [x, y] = [keep(scope, a), keep(scope, b)];
    const both: WasmCode = [...x.code, ...y.code, op(`${type}.${name}`)];
    const right: WasmCode = [...x.code, ...both, ...y.code, ...y.code, op(`${type}.ne`), op('select')];
    return value(type, ...y.code, ...right, ...x.code, ...x.code, op(`${type}.ne`), op('select'));
  }
  if (name === 'rem') {
    const doubles = [...a.code, ...doubleCode(kind), ...b.code, ...doubleCode(kind)];
    const rest = scope.region.helpers.callGiven('remainder');
    return value(type, ...doubles, ...rest, ...roundedCode(scope, kind));
  }
  const known = floatOps[name];
  if (known === undefined) throw new Unsupported(`${name} of ${kind}`);
  if (isNative(kind)) return value(type, ...a.code, ...b.code, op(`${kind}.${known}`));
  // An f32 has more than twice the bits of these floats. So rounding to it first makes no
  // difference for one sum, difference, product or quotient.
  return value('f32', ...a.code, ...b.code, op(`f32.${known}`), ...roundedSingleCode(scope, kind));
}

function addressBinary(name: BinaryOp, a: WasmValue, b: WasmValue, scope: WasmScope, site: SiteOf): WasmValue {
  if (name === 'min' || name === 'max') return value('f64', ...a.code, ...b.code, op(`f64.${name}`));
  const known = floatOps[name] ?? 'add';
  return checkedAddress(value('f64', ...a.code, ...b.code, op(`f64.${known}`)), scope, site);
}

/** Returns `whole` if it is an address or an offset, and otherwise faults. */
export function checkedAddress(whole: WasmValue, scope: WasmScope, site: SiteOf): WasmValue {
  const stored = keep(scope, whole);
  const name = helper(scope.context, 'address');
  scope.code.push(
    ...lines(
      [...stored.code, f64(0), op('f64.ge'), ...stored.code, f64(Number.MAX_SAFE_INTEGER), op('f64.le'), op('i32.and')],
      [op('i32.eqz'), block('if', scope.fn.label())],
      scope.region.fault(scope.thread, [stored], (t, [x]) => `${name}(cta, ${t}, ${site()}, ${x});`),
      op('end'),
    ),
  );
  return stored;
}

function division(
  name: 'div' | 'rem',
  kind: ScalarKind,
  a: WasmValue,
  b: WasmValue,
  scope: WasmScope,
  site: SiteOf,
): WasmValue {
  const { signed, min, bits } = scalarInfo[kind];
  const big = isBig(kind);
  const width = big ? 'i64' : 'i32';
  const instruction = op(`${width}.${name}_${signed ? 's' : 'u'}`);
  const constant = (n: bigint): Instruction => (big ? i64(n) : i32(Number(n)));
  const [only] = b.code;
  const isSafe = b.code.length === 1 && only !== undefined && 'value' in only && Number(only.value) > 0;
  if (isSafe) return value(width, ...a.code, ...b.code, instruction);
  const [x, y] = [keep(scope, a), keep(scope, b)];
  const least = signed && min !== undefined ? min : 1n;
  const overflows: WasmCode = signed
    ? lines(
        [...y.code, constant(-1n), op(`${width}.eq`), ...x.code, constant(least), op(`${width}.eq`), op('i32.and')],
        op('i32.or'),
      )
    : [];
  const shown = (text: string | undefined): string =>
    signed || bits < 32 ? `${text}` : big ? `BigInt.asUintN(64, ${text})` : `(${text} >>> 0)`;
  const check = helper(scope.context, `${name}${big ? 'Big' : ''}`);
  scope.code.push(
    ...lines(
      [...y.code, op(`${width}.eqz`), ...overflows, block('if', scope.fn.label())],
      scope.region.fault(
        scope.thread,
        [x, y],
        (t, [left, right]) =>
          `${check}(cta, ${t}, ${site()}, ${shown(left)}, ${shown(right)}, ${big ? `${least}n` : `${least}`});`,
      ),
      op('end'),
    ),
  );
  return value(width, ...x.code, ...y.code, instruction, ...(name === 'div' ? wrapCode(kind) : []));
}

/** Pointers compare by their addresses, as `addr` does. */
export function compare(name: CompareOp, kind: ScalarKind | 'pointer', a: WasmValue, b: WasmValue): WasmValue {
  const type = kind === 'pointer' ? 'f64' : heldIn[kind];
  if (type === 'f32' || type === 'f64') return value('i32', ...a.code, ...b.code, op(`${type}.${name}`));
  const signed = kind !== 'pointer' && scalarInfo[kind].signed;
  const width = type === 'i64' ? 'i64' : 'i32';
  const instruction: PlainOp =
    name === 'eq' || name === 'ne' ? `${width}.${name}` : `${width}.${name}_${signed ? 's' : 'u'}`;
  return value('i32', ...a.code, ...b.code, op(instruction));
}

export function unary(name: UnaryOp, kind: ScalarKind, a: WasmValue): WasmValue {
  const type = heldIn[kind];
  switch (name) {
    case 'not':
      return value('i32', ...a.code, op('i32.eqz'));
    case 'neg':
      if (type === 'f32' || type === 'f64') return value(type, ...a.code, op(`${type}.neg`));
      if (type === 'i64') return value(type, i64(0n), ...a.code, op('i64.sub'));
      return value('i32', i32(0), ...a.code, op('i32.sub'), ...wrapCode(kind));
    case 'bitNot':
      if (kind === 'bool') return value('i32', ...a.code, op('i32.eqz'));
      if (type === 'i64') return value(type, ...a.code, i64(-1n), op('i64.xor'));
      return value('i32', ...a.code, i32(-1), op('i32.xor'), ...wrapCode(kind));
    case 'popcount':
    case 'clz':
    case 'ctz':
      return countBits(name, kind, a);
  }
}

function countBits(name: 'popcount' | 'clz' | 'ctz', kind: ScalarKind, a: WasmValue): WasmValue {
  const instruction = { popcount: 'popcnt', clz: 'clz', ctz: 'ctz' } as const;
  if (isBig(kind)) return value('i64', ...a.code, op(`i64.${instruction[name]}`));
  const { bits } = scalarInfo[kind];
  const counted = op(`i32.${instruction[name]}`);
  if (bits === 32) return value('i32', ...a.code, counted);
  const low: WasmCode = [...a.code, i32((1 << bits) - 1), op('i32.and')];
  if (name === 'popcount') return value('i32', ...low, counted);
  // For 0, all bits are counted.
  if (name === 'ctz') return value('i32', ...low, i32(1 << bits), op('i32.or'), counted);
  return value('i32', ...low, counted, i32(32 - bits), op('i32.sub'));
}

const givenMath: Readonly<Partial<Record<MathFunction, ImportName>>> = {
  exp: 'exp',
  exp2: 'exp2',
  log: 'log',
  log2: 'log2',
  sin: 'sin',
  cos: 'cos',
  tanh: 'tanh',
  pow: 'power',
};

const exact: Readonly<Partial<Record<MathFunction, 'floor' | 'ceil' | 'trunc' | 'nearest'>>> = {
  floor: 'floor',
  ceil: 'ceil',
  trunc: 'trunc',
  round: 'nearest',
};

export function math(name: MathFunction, kind: ScalarKind, args: readonly WasmValue[], scope: WasmScope): WasmValue {
  const type = heldIn[kind];
  if (name === 'abs' && !isFloat(kind)) return absolute(kind, args, scope);
  if (type !== 'f32' && type !== 'f64') throw new Unsupported(`${name} of ${kind}`);
  const own = args.flatMap(({ code }) => code);
  if (name === 'abs') return value(type, ...own, op(`${type}.abs`));
  const whole = exact[name];
  if (whole !== undefined) return value(type, ...own, op(`${type}.${whole}`));
  if (name === 'sqrt' && isNative(kind)) return value(type, ...own, op(`${kind}.sqrt`));
  const doubles = args.flatMap(({ code }) => [...code, ...doubleCode(kind)]);
  const done = (code: WasmCode): WasmValue => value(type, ...code, ...roundedCode(scope, kind));
  if (name === 'sqrt') return done([...doubles, op('f64.sqrt')]);
  if (name === 'rsqrt') return done([f64(1), ...doubles, op('f64.sqrt'), op('f64.div')]);
  if (name === 'fma') {
    return done([...doubles, ...scope.region.helpers.callGiven(kind === 'f64' ? 'fma64' : 'fmaOdd')]);
  }
  const given = givenMath[name];
  if (given === undefined) throw new Unsupported(`${name} of ${kind}`);
  return done([...doubles, ...scope.region.helpers.callGiven(given)]);
}

function absolute(kind: ScalarKind, args: readonly WasmValue[], scope: WasmScope): WasmValue {
  const [given] = args;
  if (given === undefined) throw new Unsupported('abs of nothing');
  if (!scalarInfo[kind].signed) return given;
  const width = heldIn[kind] === 'i64' ? 'i64' : 'i32';
  const a = keep(scope, given);
  const zero = width === 'i64' ? i64(0n) : i32(0);
  const negative: WasmCode = [zero, ...a.code, op(`${width}.sub`), ...wrapCode(kind)];
  return value(width, ...negative, ...a.code, ...a.code, zero, op(`${width}.lt_s`), op('select'));
}
