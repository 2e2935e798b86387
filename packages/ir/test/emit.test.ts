import { Namer, Writer } from '@nccl-ts/ir';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('Namer', () => {
  it('keeps identifiers, and turns other names into identifiers', () => {
    const namer = new Namer(['for', 'u32']);
    const wanted = [
      'sum',
      'sum',
      'sum',
      'for',
      'a.b',
      'größe',
      '',
      '___',
      '4you',
      '$x',
      'constructor',
      'sum_1',
      'a__b',
    ];
    expect(wanted.map((name) => namer.name(name))).toEqual([
      'sum',
      'sum_1',
      'sum_2',
      'for_1',
      'a_b',
      'gr_e',
      'v',
      'v_1',
      'v4you',
      'x',
      'constructor',
      'sum_1_1',
      'a_b_1',
    ]);
  });

  it('never returns a name twice, a reserved name, or anything but an identifier', () => {
    const reserved = ['v', 'x', 'x_1', 'toString', '__proto__', 'a_b'];
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...reserved, 'x_1_1', 'a b', 'a;b'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), (wanted) => {
        const namer = new Namer(reserved);
        const names = wanted.map((name) => namer.name(name));
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) {
          expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/);
          expect(name).not.toMatch(/__/);
          expect(reserved).not.toContain(name);
          expect(namer.isFree(name)).toBe(false);
        }
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  it('stays fast with many equal names', () => {
    const namer = new Namer([]);
    for (let i = 0; i < 20_000; i++) namer.name('i');
    expect(namer.name('i')).toBe('i_20000');
  });
});

describe('Writer', () => {
  it('indents lines', () => {
    const writer = new Writer();
    writer.block('f() {', () => {
      writer.line('a\nb').line();
      writer.indented(() => writer.line('c'));
    });
    expect(writer.toString()).toBe('f() {\n  a\n  b\n\n    c\n}\n');
    expect(writer.lineCount).toBe(6);
    expect(
      new Writer('\t')
        .indented(() => {})
        .block('{', () => {}, '};')
        .toString(),
    ).toBe('{\n};\n');
  });

  it('restores its depth after an error', () => {
    const writer = new Writer();
    expect(() =>
      writer.indented(() => {
        throw new Error('stop');
      }),
    ).toThrowError('stop');
    expect(writer.line('x').toString()).toBe('x\n');
  });
});
