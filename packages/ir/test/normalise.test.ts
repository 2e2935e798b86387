import { normalise, parseModule, printModule, type Module } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { kernel } from './support/parse.ts';

const normal = (body: string): string => printModule(normalise(kernel(body)));

describe('normalise gives equal modules for equivalent kernels', () => {
  it.each([
    ['operands in another order', '%2 = (%2 + %3) print(%2)', '%2 = (%3 + %2) print(%2)'],
    ['a comparison turned round', 'if (%0 > $4) { return } print("x")', 'if ($4 < %0) { return } print("x")'],
    ['swapped branches', 'if (!%4) { print("a") } else { print("b") }', 'if %4 { print("b") } else { print("a") }'],
    [
      'a negated equality',
      'if (%0 != 0:u32) { print("a") } else { print("b") }',
      'if (%0 == 0:u32) { print("b") } else { print("a") }',
    ],
    [
      'a select for two assignments',
      'if %4 { %0 = 1:u32 } else { %0 = 2:u32 } print(%0)',
      '%0 = select((!%4), 2:u32, 1:u32) print(%0)',
    ],
    ['nested conditions', 'if %4 { if (%0 == 1:u32) { print("a") } }', 'if (%4 && (%0 == 1:u32)) { print("a") }'],
    ['an early exit', 'if %4 { return } print("a")', 'if (!%4) { print("a") }'],
    [
      'a continue',
      'loop while %4 { if (%0 == 1:u32) { continue } print("a") }',
      'loop while %4 { if (%0 != 1:u32) { print("a") } }',
    ],
    ['a loop that breaks', 'loop { if (!%4) { break } print("a") }', 'loop while %4 { print("a") }'],
    [
      'an update in the body',
      '%0 = 0:u32 loop while (%0 < $4) { print(%0) } update { %0 = (%0 + 1:u32) }',
      '%0 = 0:u32 loop while (%0 < $4) { print(%0) %0 = (1:u32 + %0) }',
    ],
    ['a value in between', '%1 = (%0 * 4:u32) store ($3 +> %1), %1', 'store ($3 +> (%0 * 4:u32)), (4:u32 * %0)'],
    ['a quotient in between', '%1 = (%0 / $4) store ($3 +> %1), 1:u32', 'store ($3 +> (%0 / $4)), 1:u32'],
    ['other numbers for locals', '%1 = load $3 store $3, %1', '%0 = load $3 store $3, %0'],
    ['dead values', '%1 = (%0 + 1:u32) print("a")', 'print("a")'],
    ['De Morgan', 'if (!(%4 && (%0 < %1))) { print("a") }', 'if ((!%4) || (%1 <= %0)) { print("a") }'],
    [
      'grouped conditions',
      'if ((%4 && (%0 < %1)) && (%0 == 2:u32)) { print("a") }',
      'if (%4 && ((%0 < %1) && (%0 == 2:u32))) { print("a") }',
    ],
    [
      'a condition as a value',
      '%4 = select((%0 < %1), (%2 == %3), false) print(%4)',
      '%4 = ((%0 < %1) && (%2 == %3)) print(%4)',
    ],
    ['code that is never reached', 'loop { print("a") break print("b") }', 'loop { print("a") break }'],
    [
      'a block around the whole',
      'block 3 { print("a") if %4 { leave 3 } print("b") }',
      'print("a") if (!%4) { print("b") }',
    ],
  ])('normalise gives equal modules for %s', (_, one, other) => expect(normal(one)).toBe(normal(other)));
});

describe('normalise distinguishes different kernels', () => {
  it.each([
    ['comparisons of floats that NaN tells apart', 'if (!(%2 < %3)) { print("a") }', 'if (%3 <= %2) { print("a") }'],
    ['operands of what does not commute', '%2 = (%2 - %3) print(%2)', '%2 = (%3 - %2) print(%2)'],
    [
      'conditions that may fault, in another order',
      'if ((%0 != 0:u32) && ((1:u32 / %0) == 1:u32)) { print("a") }',
      'if (((1:u32 / %0) == 1:u32) && (%0 != 0:u32)) { print("a") }',
    ],
    [
      'a value before and after its operand changes',
      '%1 = (%0 + 1:u32) %0 = 5:u32 print(%1) print(%0)',
      '%0 = 5:u32 print((%0 + 1:u32)) print(%0)',
    ],
    [
      'a value that a loop changes',
      '%0 = load $3 %1 = (%0 + 1:u32) loop while %4 { print(%1) %0 = load $3 }',
      '%0 = load $3 loop while %4 { print((%0 + 1:u32)) %0 = load $3 }',
    ],
    ['a quotient before and after an effect', '%1 = (%0 / $4) print("a") print(%1)', 'print("a") print((%0 / $4))'],
    [
      'a quotient that is computed always and only sometimes',
      '%1 = (%0 / $4) if %4 { print(%1) }',
      'if %4 { print((%0 / $4)) }',
    ],
    ['a quotient nobody reads and none', '%1 = (%0 / $4) print("a")', 'print("a")'],
    [
      'values of the last round and of this one',
      '%0 = load $3 loop while %4 { print(%1) %1 = (%0 + 1:u32) }',
      '%0 = load $3 loop while %4 { print((%0 + 1:u32)) }',
    ],
    [
      'an update that a continue runs',
      '%0 = 0:u32 loop while (%0 < 9:u32) { if %4 { print("a") continue } print("b") if %4 { %0 = 7:u32 continue } print("c") sync cta } update { %0 = (%0 + 1:u32) }',
      '%0 = 0:u32 loop while (%0 < 9:u32) { if %4 { print("a") continue } print("b") if %4 { %0 = 7:u32 continue } print("c") sync cta %0 = (%0 + 1:u32) }',
    ],
  ])('normalise distinguishes %s', (_, one, other) => expect(normal(one)).not.toBe(normal(other)));
});

describe('normalise', () => {
  it('removes the parts for people', () => {
    const module: Module = {
      ...kernel('%1 = load $3 print(%1)'),
      sources: [{ name: 'a.ts', text: 'x' }],
    };
    const { sources, locals, arrays, params, name } = normalise(module);
    expect(sources).toEqual([]);
    expect(locals).toEqual([
      { name: '', type: { kind: 'scalar', scalar: 'u32' }, span: { source: 0, start: 0, end: 0 } },
    ]);
    expect(arrays.map((array) => array.name)).toEqual(['', '']);
    expect(params).toEqual(module.params);
    expect(name).toBe('test');
  });

  it('does not grow exponentially if each value uses the previous one twice', () => {
    const doubled = Array.from({ length: 40 }, (_, i) => `%${i + 1} = (%${i} + %${i})`).join(' ');
    const locals = Array.from({ length: 41 }, (_, i) => `local %${i} x: u32`).join('\n');
    const text = `kernel test param $0 p: ptr(u32) ${locals} { %0 = load $0 ${doubled} store $0, %40 }`;
    expect(printModule(normalise(parseModule(text))).length).toBeLessThan(50_000);
  });
});
