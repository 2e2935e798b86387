import {
  compareFloats,
  decode,
  divide,
  encode,
  floatFormats,
  larger,
  negate,
  ofInteger,
  ofNumber,
  product,
  remainder,
  smaller,
  squareRoot,
  sum,
  toWhole,
  wholePart,
  type FloatFormat,
  type Order,
} from './float.ts';

/**
 * The meaning of each scalar operation of the kernel language. A value is a bigint: an integer's
 * value, a float's bits, or 0 or 1 for a boolean.
 */
export type Kind =
  | 'bool'
  | 'i8'
  | 'u8'
  | 'i16'
  | 'u16'
  | 'i32'
  | 'u32'
  | 'i64'
  | 'u64'
  | 'f16'
  | 'bf16'
  | 'f32'
  | 'f64'
  | 'e4m3'
  | 'e5m2'
  | 'addr';

export type KindClass = 'bool' | 'int' | 'float' | 'addr';

export interface KindInfo {
  readonly class: KindClass;
  readonly bits: number;
  readonly signed: boolean;
  /** Operations on integers and addresses. */
  readonly min: bigint;
  readonly max: bigint;
  /** Operations on floats. */
  readonly format: FloatFormat | undefined;
}

function int(bits: number, isSigned: boolean): KindInfo {
  const max = (1n << BigInt(isSigned ? bits - 1 : bits)) - 1n;
  return { class: 'int', bits, signed: isSigned, min: isSigned ? -max - 1n : 0n, max, format: undefined };
}

function float(format: FloatFormat): KindInfo {
  return { class: 'float', bits: format.bits, signed: true, min: 0n, max: 0n, format };
}

export const kinds: Readonly<Record<Kind, KindInfo>> = {
  bool: { class: 'bool', bits: 8, signed: false, min: 0n, max: 1n, format: undefined },
  i8: int(8, true),
  u8: int(8, false),
  i16: int(16, true),
  u16: int(16, false),
  i32: int(32, true),
  u32: int(32, false),
  i64: int(64, true),
  u64: int(64, false),
  f16: float(floatFormats.f16),
  bf16: float(floatFormats.bf16),
  f32: float(floatFormats.f32),
  f64: float(floatFormats.f64),
  e4m3: float(floatFormats.e4m3),
  e5m2: float(floatFormats.e5m2),
  addr: { class: 'addr', bits: 64, signed: false, min: 0n, max: (1n << 53n) - 1n, format: undefined },
};

export const allKinds: readonly Kind[] = Object.freeze([
  'bool',
  'i8',
  'u8',
  'i16',
  'u16',
  'i32',
  'u32',
  'i64',
  'u64',
  'f16',
  'bf16',
  'f32',
  'f64',
  'e4m3',
  'e5m2',
  'addr',
]);

export type BinaryName = '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '<<' | '>>' | 'min' | 'max';
export type UnaryName =
  | '-'
  | '+'
  | '~'
  | 'abs'
  | 'popcount'
  | 'clz'
  | 'ctz'
  | 'sqrt'
  | 'floor'
  | 'ceil'
  | 'trunc'
  | 'round';
export type CompareName = '==' | '!=' | '<' | '<=' | '>' | '>=';

/**
 * Thrown for an operation without a result, which would end the kernel. Generated expressions
 * contain none.
 */
export class ReferenceFault extends Error {}

export function formatOf(kind: Kind): FloatFormat {
  const { format } = kinds[kind];
  if (format === undefined) throw new Error(`${kind} is no float`);
  return format;
}

/** Modulo 2^N, into the range of an integer. */
export function wrapTo(kind: Kind, value: bigint): bigint {
  const { bits, signed: isSigned } = kinds[kind];
  const low = value & ((1n << BigInt(bits)) - 1n);
  return isSigned && low >> BigInt(bits - 1) === 1n ? low - (1n << BigInt(bits)) : low;
}

function inRange(value: bigint): bigint {
  if (value < kinds.addr.min || value > kinds.addr.max) throw new ReferenceFault(`${value} is no address`);
  return value;
}

export function binary(op: BinaryName, kind: Kind, a: bigint, b: bigint): bigint {
  switch (kinds[kind].class) {
    case 'float':
      return floatBinary(op, formatOf(kind), a, b);
    case 'int':
      return wrapTo(kind, integerBinary(op, kind, a, b));
    case 'addr':
      return inRange(integerBinary(op, kind, a, b));
    case 'bool':
      throw new Error(`no ${op} of bool`);
  }
}

function integerBinary(op: BinaryName, kind: Kind, a: bigint, b: bigint): bigint {
  const { bits, min, signed: isSigned } = kinds[kind];
  const count = b & BigInt(bits - 1);
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
    case '%':
      if (b === 0n || (isSigned && b === -1n && a === min)) throw new ReferenceFault(`${a} ${op} ${b} in ${kind}`);
      return op === '/' ? a / b : a % b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return a << count;
    // An unsigned value shifts in zeros.
    case '>>':
      return a >> count;
    case 'min':
      return a < b ? a : b;
    case 'max':
      return a > b ? a : b;
  }
}

function floatBinary(op: BinaryName, format: FloatFormat, a: bigint, b: bigint): bigint {
  const x = decode(format, a);
  const y = decode(format, b);
  switch (op) {
    case '+':
      return encode(format, sum(x, y));
    case '-':
      return encode(format, sum(x, negate(y)));
    case '*':
      return encode(format, product(x, y));
    case '/':
      return divide(format, x, y);
    case '%':
      return encode(format, remainder(x, y));
    case 'min':
      return encode(format, smaller(x, y));
    case 'max':
      return encode(format, larger(x, y));
    case '&':
    case '|':
    case '^':
    case '<<':
    case '>>':
      throw new Error(`no ${op} of ${format.name}`);
  }
}

export function unary(op: UnaryName, kind: Kind, a: bigint): bigint {
  const { class: of } = kinds[kind];
  if (of === 'float') return floatUnary(op, formatOf(kind), a);
  if (of !== 'int') throw new Error(`no ${op} of ${kind}`);
  const { bits } = kinds[kind];
  const digits = (a & ((1n << BigInt(bits)) - 1n)).toString(2).padStart(bits, '0');
  switch (op) {
    case '-':
      return wrapTo(kind, -a);
    case '+':
      return a;
    case '~':
      return wrapTo(kind, -a - 1n);
    case 'abs':
      return wrapTo(kind, a < 0n ? -a : a);
    case 'popcount':
      return BigInt(digits.replaceAll('0', '').length);
    case 'clz':
      return BigInt(/^0*/.exec(digits)?.[0].length ?? 0);
    case 'ctz':
      return BigInt(/0*$/.exec(digits)?.[0].length ?? 0);
    case 'sqrt':
    case 'floor':
    case 'ceil':
    case 'trunc':
    case 'round':
      throw new Error(`no ${op} of ${kind}`);
  }
}

function floatUnary(op: UnaryName, format: FloatFormat, a: bigint): bigint {
  const x = decode(format, a);
  switch (op) {
    case '-':
      return encode(format, negate(x));
    case '+':
      return encode(format, x);
    case 'abs':
      return encode(format, x.kind !== 'nan' && x.negative ? negate(x) : x);
    case 'sqrt':
      return squareRoot(format, x);
    case 'floor':
    case 'ceil':
    case 'trunc':
    case 'round':
      return encode(format, toWhole(op, x));
    case '~':
    case 'popcount':
    case 'clz':
    case 'ctz':
      throw new Error(`no ${op} of ${format.name}`);
  }
}

/** a * b + c of floats, rounded once. */
export function fusedMultiplyAdd(kind: Kind, a: bigint, b: bigint, c: bigint): bigint {
  const format = formatOf(kind);
  return encode(format, sum(product(decode(format, a), decode(format, b)), decode(format, c)));
}

function order(kind: Kind, a: bigint, b: bigint): Order {
  if (kinds[kind].class === 'float') return compareFloats(decode(formatOf(kind), a), decode(formatOf(kind), b));
  return a === b ? 'equal' : a < b ? 'less' : 'greater';
}

export function compare(op: CompareName, kind: Kind, a: bigint, b: bigint): bigint {
  const found = order(kind, a, b);
  const holds: Readonly<Record<CompareName, boolean>> = {
    '==': found === 'equal',
    '!=': found !== 'equal',
    '<': found === 'less',
    '<=': found === 'less' || found === 'equal',
    '>': found === 'greater',
    '>=': found === 'greater' || found === 'equal',
  };
  return holds[op] ? 1n : 0n;
}

/** A cast: `to(value)`. */
export function convert(from: Kind, to: Kind, value: bigint): bigint {
  const target = kinds[to];
  const { format } = kinds[from];
  if (format === undefined) {
    switch (target.class) {
      case 'bool':
        return value === 0n ? 0n : 1n;
      case 'int':
        return wrapTo(to, value);
      case 'addr':
        return inRange(value);
      case 'float':
        return encode(formatOf(to), ofInteger(value));
    }
  }
  const exact = decode(format, value);
  switch (target.class) {
    case 'bool':
      return exact.kind === 'finite' && exact.mantissa === 0n ? 0n : 1n;
    case 'int': {
      if (exact.kind === 'nan') return 0n;
      if (exact.kind === 'infinite') return exact.negative ? target.min : target.max;
      const whole = wholePart(exact);
      return whole < target.min ? target.min : whole > target.max ? target.max : whole;
    }
    case 'float':
      return encode(formatOf(to), exact);
    case 'addr':
      throw new Error('no conversion of floats to addresses');
  }
}

/** The value of `kind` nearest to a JavaScript number. */
export function floatOfNumber(kind: Kind, value: number): bigint {
  return encode(formatOf(kind), ofNumber(value));
}

/** The bytes of a value, as an unsigned number. */
export function bitsOf(kind: Kind, value: bigint): bigint {
  return value & ((1n << BigInt(kinds[kind].bits)) - 1n);
}

/** The value whose bytes are those of an unsigned number. */
export function ofBits(kind: Kind, bits: bigint): bigint {
  return kinds[kind].class === 'int' ? wrapTo(kind, bits) : bits;
}

export function isNaNValue(kind: Kind, value: bigint): boolean {
  const { format } = kinds[kind];
  return format !== undefined && decode(format, value).kind === 'nan';
}
