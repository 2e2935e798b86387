import type { TokenReader } from './token-reader.ts';

/** A number in a text: an integer, or the bits of a float. */
export type PtxConstant =
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'float'; readonly bits: bigint; readonly bytes: 4 | 8 };

const levels: readonly Readonly<Record<string, (a: bigint, b: bigint) => bigint | undefined>>[] = [
  { '||': (a, b) => truth(a !== 0n || b !== 0n) },
  { '&&': (a, b) => truth(a !== 0n && b !== 0n) },
  { '|': (a, b) => a | b },
  { '^': (a, b) => a ^ b },
  { '&': (a, b) => a & b },
  { '==': (a, b) => truth(a === b), '!=': (a, b) => truth(a !== b) },
  {
    '<': (a, b) => truth(a < b),
    '>': (a, b) => truth(a > b),
    '<=': (a, b) => truth(a <= b),
    '>=': (a, b) => truth(a >= b),
  },
  { '<<': (a, b) => (b < 64n && b >= 0n ? a << b : 0n), '>>': (a, b) => (b < 64n && b >= 0n ? a >> b : 0n) },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  {
    '*': (a, b) => a * b,
    '/': (a, b) => (b === 0n ? undefined : a / b),
    '%': (a, b) => (b === 0n ? undefined : a % b),
  },
];

/** The limit for nested expressions. */
const MOST_DEPTH = 100;

function truth(value: boolean): bigint {
  return value ? 1n : 0n;
}

/** Reads a constant expression. */
export function readConstant(reader: TokenReader, depth = 0): PtxConstant {
  if (depth > MOST_DEPTH) return reader.fail('the expression is nested too deeply');
  const value = level(reader, 0, depth);
  if (!reader.is('?')) return value;
  reader.next();
  const then = readConstant(reader, depth + 1);
  reader.expect(':');
  const otherwise = readConstant(reader, depth + 1);
  return integerOf(reader, value) === 0n ? otherwise : then;
}

function level(reader: TokenReader, index: number, depth: number): PtxConstant {
  const operations = levels[index];
  if (operations === undefined) return unary(reader, depth);
  let left = level(reader, index + 1, depth);
  for (;;) {
    const token = reader.peek();
    const operation =
      token.kind === 'punctuation' && Object.hasOwn(operations, token.text) ? operations[token.text] : undefined;
    if (operation === undefined) return left;
    reader.next();
    const right = level(reader, index + 1, depth);
    const value = operation(integerOf(reader, left), integerOf(reader, right));
    if (value === undefined) return reader.fail('the expression before this divides by zero');
    left = { kind: 'integer', value: BigInt.asIntN(65, value) };
  }
}

function integerOf(reader: TokenReader, value: PtxConstant): bigint {
  return value.kind === 'integer' ? value.value : reader.fail('the number before this must be an integer');
}

function unary(reader: TokenReader, depth: number): PtxConstant {
  if (depth > MOST_DEPTH) return reader.fail('the expression is nested too deeply');
  if (reader.accept('-')) return negated(unary(reader, depth + 1));
  if (reader.accept('+')) return unary(reader, depth + 1);
  if (reader.accept('~')) return { kind: 'integer', value: ~integerOf(reader, unary(reader, depth + 1)) };
  if (reader.accept('!')) return { kind: 'integer', value: truth(integerOf(reader, unary(reader, depth + 1)) === 0n) };
  if (reader.accept('(')) {
    const cast = reader.is('.s64') || reader.is('.u64') ? reader.next().text : undefined;
    if (cast !== undefined) {
      reader.expect(')');
      const value = integerOf(reader, unary(reader, depth + 1));
      return { kind: 'integer', value: cast === '.s64' ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value) };
    }
    const value = readConstant(reader, depth + 1);
    reader.expect(')');
    return value;
  }
  if (reader.is('WARP_SZ')) {
    reader.next();
    return { kind: 'integer', value: 32n };
  }
  const token = reader.peek();
  const value = token.kind === 'number' ? numberOf(token.text) : undefined;
  if (value === undefined) return reader.missing('a number');
  reader.next();
  return value;
}

function negated(value: PtxConstant): PtxConstant {
  if (value.kind === 'integer') return { kind: 'integer', value: -value.value };
  return { ...value, bits: value.bits ^ (value.bytes === 8 ? 1n << 63n : 1n << 31n) };
}

/** Parses a PTX number. Returns `undefined` if the text is not a number. */
export function numberOf(text: string): PtxConstant | undefined {
  const float = /^0([fFdD])([0-9a-fA-F]+)$/.exec(text);
  if (float !== null) {
    const bytes = (float[1] ?? '').toLowerCase() === 'f' ? 4 : 8;
    const digits = float[2] ?? '';
    return digits.length === bytes * 2 ? { kind: 'float', bits: BigInt(`0x${digits}`), bytes } : undefined;
  }
  const plain = text.replace(/U$/, '');
  if (/^0[xX][0-9a-fA-F]+$/.test(plain) || /^0[bB][01]+$/.test(plain)) return { kind: 'integer', value: BigInt(plain) };
  if (/^0[0-7]*$/.test(plain)) return { kind: 'integer', value: plain === '0' ? 0n : BigInt(`0o${plain.slice(1)}`) };
  if (/^\d+$/.test(plain)) return plain.startsWith('0') ? undefined : { kind: 'integer', value: BigInt(plain) };
  const number = Number(text);
  if (!/[.eE]/.test(text) || Number.isNaN(number)) return undefined;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  return { kind: 'float', bits: view.getBigUint64(0), bytes: 8 };
}
