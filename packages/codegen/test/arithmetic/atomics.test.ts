import { ptr, type ParamType } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';

import { expressionsPerType, timeLimit } from './campaign.ts';
import { sampleValues } from './generate/values.ts';
import { valueText } from './language/render.ts';
import { typeOf } from './language/type.ts';
import { builtinNames, compileText, Memory, paramType } from './machine.ts';
import { allKinds, binary, isNaNValue, kinds, type BinaryName, type Kind } from './reference/scalar.ts';

const operators: Readonly<Record<string, BinaryName>> = {
  atomicAdd: '+',
  atomicSub: '-',
  atomicMin: 'min',
  atomicMax: 'max',
  atomicAnd: '&',
  atomicOr: '|',
  atomicXor: '^',
};

const integers: readonly Kind[] = ['i32', 'u32', 'i64', 'u64'];
const cases = [
  ...integers.flatMap((kind) => Object.keys(operators).map((name) => [name, kind] as const)),
  ...(['f32', 'f64'] as const).map((kind) => ['atomicAdd', kind] as const),
];
const count = Math.max(200, Math.round(expressionsPerType / 10));

/** The quick tests have one machine. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

const machines = [
  { engine: 'js', shared: false },
  { engine: 'wasm', shared: false },
  { engine: 'js', shared: true },
  { engine: 'wasm', shared: true },
] as const;

describe.each(machines.filter(isNow))('ordered accesses, $engine, shared: $shared', ({ engine, shared }) => {
  it.each(allKinds)('of %s keep all bits', (kind) => {
    const type = typeOf(kind);
    const bytes = kinds[kind].bits / 8;
    const xs = sampleValues(kind, count, 8);
    const memory = new Memory([count * bytes, count * bytes], shared);
    memory.write(0, 0, type, xs);
    const element = ptr(paramType(type));
    const text = `({ ${builtinNames} }, { x, y }) => {
      for (let i = threadIdx.x; i < ${count}; i += blockDim.x) y.store(i, x.load(i, 'acquire'), 'release');
    }`;
    memory.run(compileText(text, { x: element, y: element }), 32, [], { engine, shared, compiles: 'all' });
    const wrong = xs.filter((x, i) => {
      const [after = 0n] = memory.read(1, i * bytes, type);
      return after !== x && !(isNaNValue(kind, x) && isNaNValue(kind, after));
    });
    expect(wrong.map((x) => valueText(type, [x]))).toEqual([]);
  });
});

describe.each(machines.filter(isNow))(
  'read-modify-writes compute like operators, $engine, shared: $shared',
  ({ engine, shared }) => {
    it.each(cases)('%s of %s', { timeout: timeLimit }, (name, kind) => {
      const type = typeOf(kind);
      const bytes = kinds[kind].bits / 8;
      const [xs, ys] = [sampleValues(kind, count, 6), sampleValues(kind, count, 7)];
      const memory = new Memory([count * bytes, count * bytes, count * bytes], shared);
      memory.write(0, 0, type, xs);
      memory.write(1, 0, type, ys);
      const element = ptr(paramType(type));
      const params: Record<string, ParamType> = { x: element, y: element, before: element };
      const text = `({ ${builtinNames} }, { x, y, before }) => {
      for (let i = threadIdx.x; i < ${count}; i += blockDim.x) before[i] = x.${name}(i, y[i]);
    }`;
      memory.run(compileText(text, params), 32, [], { engine, shared, compiles: 'all' });
      const same = (a: bigint, b: bigint): boolean => a === b || (isNaNValue(kind, a) && isNaNValue(kind, b));
      const wrong = xs.findIndex((x, i) => {
        const [after = 0n] = memory.read(0, i * bytes, type);
        const [before = 0n] = memory.read(2, i * bytes, type);
        return !same(before, x) || !same(after, binary(operators[name] ?? '+', kind, x, ys[i] ?? 0n));
      });
      const args = [xs[wrong] ?? 0n, ys[wrong] ?? 0n].map((value) => valueText(type, [value])).join(', ');
      expect(wrong === -1 ? 'equal' : `${name}(${args})`).toBe('equal');
    });
  },
);
