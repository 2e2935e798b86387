import { analyseKernel, deviceFn, kernel, u32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { withRawText } from './support/raw-text.ts';
import { lower, wrong } from './support/lower.ts';

const nested = (depth: number, inside: string): string => `${'+('.repeat(depth)}${inside}${')'.repeat(depth)}`;

describe('limits', () => {
  it('allow expressions that are deeper than authors write', () => {
    expect(lower(`q[0] = ${nested(300, 'n')};`)).toBe('\nstore q, n\n');
    expect(lower(`q[0] = ${Array.from({ length: 300 }, () => 'n').join(' + ')};`)).toContain('store q');
    expect(
      lower(Array.from({ length: 150 }, (_, i) => `if (n === ${i}) q[0] = ${i}; else `).join('') + 'q[0] = 1;'),
    ).toContain('149:u32');
  });

  it.each([
    [`({}, { q, n }) => { q[0] = ${nested(800, 'n')}; }`],
    [`({}, { q, n }) => { q[0] = ${Array.from({ length: 2000 }, () => 'n').join(' + ')}; }`],
    [`({}, { q, n }) => { q[0] = ${nested(100_000, 'n')}; }`],
    [`({}, { q, n }) => ${'{'.repeat(50_000)}${'}'.repeat(50_000)}`],
  ])('refuse deeper expressions (%#)', (text) => {
    const result = withRawText(text, {}, (of) => analyseKernel(of));
    const codes = result.ok ? [] : result.diagnostics.map(({ code }) => code);
    expect(codes).toEqual(['K1004']);
  });

  it('refuse nested calls with deep expressions before the stack ends', () => {
    const functions = Array.from(
      { length: 12 },
      (_, i) => `const f${i} = (a) => ${nested(150, i === 0 ? 'a' : `f${i - 1}(${nested(30, 'a')})`)};`,
    );
    expect(wrong(`${functions.join(' ')} q[0] = f11(n);`).map((line) => line.slice(0, 5))).toEqual(['K1004']);
    // The compiler may be called when part of the stack is already in use.
    const deep = (frames: number): readonly string[] =>
      frames === 0 ? wrong(`${functions.join(' ')} q[0] = f11(n);`) : deep(frames - 1);
    expect(deep(1500)).toHaveLength(1);
  });

  it('refuse device functions that double each other, before they are inlined', () => {
    const body = ({ g }: { g: (x: number) => number }, x: number): number => g(x) + g(x + 1);
    let twice = deviceFn({ name: 'once' }, (_context: object, x: number) => x + 1);
    for (let i = 0; i < 60; i++) twice = deviceFn({ name: `twice${i}`, use: { g: twice } }, body);
    const before = process.cpuUsage().user;
    const result = analyseKernel(
      kernel({ name: 'doubles', use: { twice }, params: { n: u32 } }, ({ twice }, { n }) => {
        twice(n);
      }),
    );
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(2000);
    expect(result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'K1114 the work that this kernel unrolls to is larger than 1000000 steps',
    ]);
  });

  type Step = (x: number) => number;
  it.each<[string, (context: { g: Step }, x: number) => number]>([
    [
      'if',
      ({ g }, x) => {
        let y = x;
        if (x > 0) y = g(x);
        else y = g(x + 1);
        return y;
      },
    ],
    [
      'early return',
      ({ g }, x) => {
        if (x === 3) return g(x - 1);
        return g(x * 2);
      },
    ],
    ['ternary', ({ g }, x) => (x > 2 ? g(x) : g(x + 1))],
    [
      'loop',
      ({ g }, x) => {
        let y = x;
        for (let i = 0; i < x; i++) y = g(x + 1) + g(x);
        return y;
      },
    ],
    [
      'local',
      ({ g }, x) => {
        const y = x + 1;
        return y > 0 && x > 0 ? g(y) + g(x) : y;
      },
    ],
  ])('refuse device functions that double behind a condition, without inlining them: %s', (name, body) => {
    let g = deviceFn({ name: 'once' }, (_context: object, x: number) => x + 1);
    for (let i = 0; i < 60; i++) g = deviceFn({ name: `${name.replace(' ', '')}${i}`, use: { g } }, body);
    const result = analyseKernel(
      kernel({ name: 'doubles', use: { g }, params: { n: u32 } }, ({ g }, { n }) => {
        g(n);
      }),
    );
    const found = result.ok ? [] : result.diagnostics;
    expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'K1114 the work that this kernel unrolls to is larger than 1000000 steps',
    ]);
    // The kernel's own call is refused before any statement of a device function is lowered.
    expect(found.flatMap(({ labels }) => labels.map(({ span }) => [span.source, span.inlinedAt]))).toEqual([
      [0, undefined],
    ]);
  });

  it('allow recursive device functions that a constant ends', () => {
    let g = deviceFn({ name: 'once' }, (_context: object, x: number, _way: number) => x + 1);
    for (let i = 0; i < 40; i++) {
      g = deviceFn({ name: `way${i}`, use: { g } }, ({ g }, x: number, way: number) => {
        if (way === 0) return g(x, way);
        return g(x + 1, way) + g(x, way);
      });
    }
    const result = analyseKernel(
      kernel({ name: 'oneWay', use: { g }, params: { n: u32 } }, ({ g }, { n }) => {
        g(n, 0);
      }),
    );
    expect(result.ok ? [] : result.diagnostics).toEqual([]);
  });

  it('apply to the size of literals', () => {
    expect(wrong('q[0] = (1n << 200n) << 200n;')[0]).toMatch(/^K2027/);
    expect(wrong('q[0] = 1n << 9999999n;')[0]).toMatch(/^K2027/);
  });

  it('stop reports after fifty mistakes', () => {
    expect(wrong(Array.from({ length: 200 }, (_, i) => `missing${i};`).join(' '))).toHaveLength(50);
  });

  it('allow texts of any length and any characters', () => {
    const text = `({}, { p }) => { ${'/* \u{1F600} */ '.repeat(20_000)} p[0] = 1; }`;
    expect(withRawText(text, { params: {} }, (of) => analyseKernel(of)).ok).toBe(false);
    for (const odd of ['', ' ', '\0', '\u2028', '{', '(', '#!', '<!--', '\uD800', 'a\u200Db']) {
      const result = withRawText(odd, {}, (of) => analyseKernel(of));
      expect(result.ok ? [] : result.diagnostics.map(({ code }) => code)).toHaveLength(1);
    }
  });
});
