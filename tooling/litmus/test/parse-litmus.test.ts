import { describe, expect, test } from 'vitest';
import { NotExpressibleError } from '../src/litmus-test.ts';
import { holds, parseCondition, valuesOf } from '../src/parse-condition.ts';
import { parseLitmus } from '../src/parse-litmus.ts';

const text = `PTX hand-over
"A comment"
{
data=0; flag = 1;
P1:r2=-3;
image @ surface aliases data;
}
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0         ;
 st.weak data, 7        | LC00:                  ;
 st.release.gpu flag, 2 | ld.acquire.gpu r1, flag;
                        | bne r1, 2, LC00        ;
~exists
(P1:r1 == 2 /\\ data != 7)
`;

describe('a litmus test', () => {
  test('has locations, registers, aliases and threads with their instructions', () => {
    const parsed = parseLitmus(text);
    expect(parsed.name).toBe('hand-over');
    expect([...parsed.locations]).toEqual([
      ['data', 0],
      ['flag', 1],
    ]);
    expect([...parsed.registers]).toEqual([['P1:r2', -3]]);
    expect([...parsed.aliases]).toEqual([['image', { proxy: 'surface', of: 'data' }]]);
    expect(parsed.threads).toEqual([
      { name: 'P0', cta: 0, gpu: 0, instructions: ['st.weak data, 7', 'st.release.gpu flag, 2'] },
      { name: 'P1', cta: 1, gpu: 0, instructions: ['LC00:', 'ld.acquire.gpu r1, flag', 'bne r1, 2, LC00'] },
    ]);
    expect(parsed.quantifier).toBe('not exists');
  });

  test('may leave out locations that hold 0', () => {
    const parsed = parseLitmus(text.replace('data=0; flag = 1;', 'flag = 1;'));
    expect([...parsed.locations]).toEqual([
      ['flag', 1],
      ['data', 0],
    ]);
  });

  test('whose variable holds an address is not expressible', () => {
    expect(() => parseLitmus(text.replace('P1:r2=-3', 'P1:r2=data'))).toThrow(NotExpressibleError);
  });

  test('of another architecture is refused', () => {
    expect(() => parseLitmus('AArch64 other\n{}\n P0 ;\n nop ;\nexists (x = 1)')).toThrow(TypeError);
  });
});

describe('a condition', () => {
  const values: Readonly<Record<string, number>> = { 'P0:r1': 1, 'P1:r2': -1, x: 4 };
  const isTrue = (condition: string): boolean =>
    holds(parseCondition(condition), (value) =>
      value.kind === 'constant'
        ? value.value
        : (values[value.kind === 'register' ? `${value.thread}:${value.name}` : value.name] ?? 0),
    );

  test.each([
    ['(P0:r1 == 1 /\\ x == 4)', true],
    ['(P0:r1 == 0 \\/ x != 4)', false],
    ['P0:r1 == 0 /\\ x == 4 \\/ x >= 4', true],
    ['~(0:r1 = 1)', false],
    ['P1:r2 < 0', true],
    ['P0:r1 == P1:r2', false],
    ['0==0', true],
  ])('%s is %s', (condition, expected) => {
    expect(isTrue(condition)).toBe(expected);
  });

  test('lists the values that it reads', () => {
    expect(valuesOf(parseCondition('(P0:r1 == 1 /\\ x == 4)'))).toContainEqual({
      kind: 'register',
      thread: 'P0',
      name: 'r1',
    });
  });

  test('that is cut off is refused', () => {
    expect(() => parseCondition('(P0:r1 == 1')).toThrow(TypeError);
    expect(() => parseCondition('P0:r1 == 1 )')).toThrow(TypeError);
  });
});
