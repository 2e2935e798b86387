import { describe, expect, it } from 'vitest';

import { KernelFault } from './machine.ts';
import { evaluate, typeNamed, type Operands } from './one-expression.ts';
import { kinds } from './reference/scalar.ts';

/** Returns the fault of an expression, or its value if there is none. */
function outcome(expression: string, operands: Operands): string {
  try {
    return evaluate(expression, operands);
  } catch (error) {
    if (error instanceof KernelFault) return error.fault.kind;
    throw error;
  }
}

describe.each(['i32', 'u32', 'i64', 'u64'])('dividing %s', (kind) => {
  const { min, max, signed } = kinds[typeNamed(kind).kind];
  const given = (x: bigint, y: bigint): Operands => ({ x: [kind, x], y: [kind, y] });

  it('by zero faults, even if the compiler could see it', () => {
    for (const op of ['/', '%']) {
      expect(outcome(`x ${op} y`, given(7n, 0n))).toBe('divideByZero');
      expect(outcome(`x ${op} y`, given(0n, 0n))).toBe('divideByZero');
      expect(outcome(`${kind}(7) ${op} (${kind}(1) - ${kind}(1))`, {})).toBe('divideByZero');
      expect(outcome(`let t = x; t ${op}= y; t + 0`, given(7n, 0n))).toBe('divideByZero');
    }
  });

  it('does not fault in an operand that is not selected', () => {
    expect(outcome('y != 0 ? x / y : x', given(7n, 0n))).toBe(`${kind} 7`);
    expect(outcome('y != 0 && x / y > 1', given(7n, 0n))).toBe('bool 0');
    expect(outcome('y == 0 || x % y > 1', given(7n, 0n))).toBe('bool 1');
  });

  it('the smallest value by -1 faults for types that have -1', () => {
    const minusOne = signed ? -1n : max;
    for (const [op, value] of [
      ['/', 0n],
      ['%', 0n],
    ] as const) {
      expect(outcome(`x ${op} y`, given(min, minusOne))).toBe(signed ? 'overflow' : `${kind} ${value}`);
      expect(outcome(`x ${op} -1`, given(min, 0n))).toBe(signed ? 'overflow' : `${kind} ${value}`);
    }
    expect(outcome('x / y', given(max, minusOne))).toBe(`${kind} ${signed ? -max : 1n}`);
    expect(outcome('x % y', given(max, minusOne))).toBe(`${kind} 0`);
  });
});

describe('a division of small integers or vectors', () => {
  it('is computed in i32, so that -128 / -1 is 128', () => {
    expect(outcome('x / y', { x: ['i8', -128n], y: ['i8', -1n] })).toBe('i32 128');
    expect(outcome('x % y', { x: ['i16', -32768n], y: ['i8', -1n] })).toBe('i32 0');
    expect(outcome('x / y', { x: ['u8', 1n], y: ['u8', 0n] })).toBe('divideByZero');
    expect(outcome('x / y', { x: ['bool', 1n], y: ['bool', 0n] })).toBe('divideByZero');
  });

  it('faults if one element would', () => {
    const x = ['vec(i8, 4)', 1n, -128n, 3n, 4n] as const;
    expect(outcome('x / y', { x, y: ['vec(i8, 4)', 1n, 1n, 0n, 1n] })).toBe('divideByZero');
    expect(outcome('x % y', { x, y: ['vec(i8, 4)', 1n, -1n, 1n, 1n] })).toBe('overflow');
    expect(outcome('x / y', { x, y: ['vec(i8, 4)', -1n, 2n, -1n, 3n] })).toBe('vec(i8, 4) -1 -64 -3 1');
    expect(outcome('lane(x, i)', { x, i: ['u32', 4n] })).toBe('lane');
    expect(outcome('lane(x, i)', { x, i: ['i32', -1n] })).toBe('lane');
    expect(outcome('withLane(x, i, 5)', { x, i: ['u32', 4n] })).toBe('lane');
  });

  it('of floats never faults', () => {
    expect(outcome('x / y', { x: ['f32', 0x3f800000n], y: ['f32', 0n] })).toBe('f32 0x7f800000');
    expect(outcome('x % y', { x: ['f64', 0n], y: ['f64', 0n] })).toMatch(/^f64 0x[7f]ff/);
  });
});

describe('addresses', () => {
  const largest = kinds.addr.max;
  const given = (x: bigint, y: bigint): Operands => ({ x: ['addr', x], y: ['addr', y] });

  it('are exact up to 2^53 - 1', () => {
    expect(outcome('x + y', given(largest - 5n, 5n))).toBe(`addr ${largest}`);
    expect(outcome('x + y', given(largest, 1n))).toBe('addressRange');
    expect(outcome('x + 2', given(largest, 1n))).toBe('addressRange');
    expect(outcome('x * y', given(6361n, 69431n * 20394401n))).toBe(`addr ${largest}`);
    expect(outcome('x * y', given(1n << 26n, 1n << 27n))).toBe('addressRange');
    expect(outcome('x * y', given(321n, 28059810762433n))).toBe('addressRange');
  });

  it('cannot be negative', () => {
    expect(outcome('x - y', given(5n, 5n))).toBe('addr 0');
    expect(outcome('x - y', given(5n, 6n))).toBe('addressRange');
    expect(outcome('x + i', { x: ['addr', 5n], i: ['i32', -1n] })).toBe('addressRange');
    expect(outcome('addr(i)', { i: ['i64', -1n] })).toBe('addressRange');
    expect(outcome('addr(i)', { i: ['i8', -1n] })).toBe('addressRange');
    expect(outcome('addr(u)', { u: ['u64', largest] })).toBe(`addr ${largest}`);
    expect(outcome('addr(u)', { u: ['u64', largest + 1n] })).toBe('addressRange');
    expect(outcome('addr(u)', { u: ['u64', largest + 2n] })).toBe('addressRange');
  });
});
