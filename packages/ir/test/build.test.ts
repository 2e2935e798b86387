import {
  array,
  binary,
  bitcast,
  builtin,
  compare,
  constant,
  convert,
  field,
  handleType,
  intrinsic,
  lane,
  local,
  logical,
  math,
  param,
  pointerCast,
  pointerOffset,
  pointerType,
  scalarType,
  select,
  typeName,
  unary,
  vector,
  vectorType,
  multicastPointer,
  multicastSize,
  unicastPointer,
  windowPointer,
  withLane,
  type Expression,
} from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

const u32 = scalarType('u32');
const f32x4 = vectorType('f32', 4);
const i = local(0, u32);
const x = local(1, scalarType('f32'));
const yes = constant('bool', true);
const v = vector(f32x4, [x]);
const pointer = param(2, pointerType(f32x4, 'shared'));
const comm = param(0, handleType('DevComm'));

describe('expression factories', () => {
  const cases: readonly (readonly [Expression, string])[] = [
    [constant('i64', 5n), 'i64'],
    [array(3, { space: 'shared', element: f32x4 }), 'ptr(vec(f32, 4), shared)'],
    [builtin('threadIdx.x'), 'u32'],
    [field(comm, 'lsaRank', scalarType('i32')), 'i32'],
    [unary('neg', x), 'f32'],
    [binary('add', v, v), 'vec(f32, 4)'],
    [compare('lt', x, x), 'bool'],
    [logical('and', yes, yes), 'bool'],
    [select(yes, i, i), 'u32'],
    [convert(scalarType('f16'), i), 'f16'],
    [bitcast(u32, x), 'u32'],
    [math('fma', [x, x, x]), 'f32'],
    [lane(v, i), 'f32'],
    [withLane(v, i, x), 'vec(f32, 4)'],
    [windowPointer(u32, comm, i, i), 'ptr(u32)'],
    [multicastPointer(u32, comm, i, i), 'ptr(u32)'],
    [unicastPointer(windowPointer(u32, comm, i, i), i), 'ptr(u32)'],
    [multicastSize(windowPointer(u32, comm, i, i)), 'i32'],
    [pointerOffset(pointer, i), 'ptr(vec(f32, 4), shared)'],
    [pointerCast(u32, pointer), 'ptr(u32, shared)'],
    [intrinsic('f', [], [x], v), 'vec(f32, 4)'],
  ];
  it.each(cases)('%# have the right type', (expression, type) => expect(typeName(expression.type)).toBe(type));

  it('make frozen nodes, with a span only if one is given', () => {
    const span = { source: 0, start: 1, end: 2 };
    expect(unary('neg', x)).toStrictEqual({ kind: 'unary', type: x.type, op: 'neg', operand: x });
    expect(unary('neg', x, span)).toStrictEqual({ kind: 'unary', type: x.type, op: 'neg', operand: x, span });
    expect(Object.isFrozen(unary('neg', x, span))).toBe(true);
    expect(Object.isFrozen(math('abs', [x]).args)).toBe(true);
  });

  it('refuse operands that have no type', () => {
    expect(() => lane(x, i)).toThrowError(/given f32, expected a vector/);
    expect(() => pointerOffset(x, i)).toThrowError(/expected a pointer/);
    expect(() => math('sqrt', [])).toThrowError(/expected at least one/);
  });
});
