import {
  binary,
  constant,
  evaluateConstant,
  expandIntrinsics,
  fold,
  parseModule,
  printModule,
  specialise,
  unrollLoops,
  vector,
  vectorType,
  type Module,
  type Specialisation,
  type UnrollLimits,
} from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { kernel } from './support/parse.ts';

/** The body of `module` as text, one statement a line, without indentation. */
function bodyText(module: Module): string {
  const text = printModule(module);
  return text
    .slice(text.indexOf('{\n') + 2, -2)
    .replaceAll(/^ {2}/gm, '')
    .trim();
}

/** `fold` applied to an expression given as text; its type is that of the local before it. */
function folded(text: string): string {
  const [statement] = kernel(`print(${text})`).body;
  const [e] = statement?.kind === 'print' ? statement.args : [];
  if (e === undefined || typeof e === 'string') throw new Error('an expression is needed');
  const [shown] = [
    { ...kernel(''), body: [{ kind: 'print', args: [fold(e)], span: { source: 0, start: 0, end: 0 } } as const] },
  ];
  return bodyText(shown).slice('print('.length, -1);
}

describe('fold', () => {
  it.each([
    ['(2:u32 + 3:u32)', '5:u32'],
    ['(4294967295:u32 + 1:u32)', '0:u32'],
    ['(0.1:f64 + 0.2:f64)', '0.30000000000000004:f64'],
    ['f32(0.1:f64)', '0.10000000149011612:f32'],
    ['i8(300:i32)', '44:i8'],
    ['(1:i32 < 2:i32)', 'true'],
    ['math.sqrt(16:f32)', '4:f32'],
    ['bitcast(u32, 1:f32)', '1065353216:u32'],
    ['(vec(f32, 4)[1:f32] + vec(f32, 4)[1:f32, 2:f32, 3:f32, 4:f32])', 'vec(f32, 4)[2:f32, 3:f32, 4:f32, 5:f32]'],
    ['lane(vec(f32, 4)[1:f32, 2:f32, 3:f32, %2], 1:u32)', '2:f32'],
    ['lane(vec(f32, 4)[%2], 3:u32)', '%2'],
    ['@f(%0, 2:u32) { (arg(1) + 1:u32) }', '3:u32'],
    ['(%0 + 0:u32)', '%0'],
    ['(0:u32 | %0)', '%0'],
    ['(%0 * 1:u32)', '%0'],
    ['(%0 * 0:u32)', '0:u32'],
    ['(%0 / 1:u32)', '%0'],
    ['(%0 << 0:u32)', '%0'],
    ['(%8 + 0:addr)', '%8'],
    ['neg(neg(%2))', '%2'],
    ['(!(!%4))', '%4'],
    ['(%4 && true)', '%4'],
    ['(true && %4)', '%4'],
    ['(%4 || true)', 'true'],
    ['(false && ((%0 / %1) == 1:u32))', 'false'],
    ['select(true, %0, (%1 / 0:u32))', '%0'],
    ['select(%4, true, false)', '%4'],
    ['select(%4, false, true)', '(!%4)'],
    ['u32(%0)', '%0'],
    ['($2 +> 0:i64)', '$2'],
  ])('%s becomes %s', (text, expected) => expect(folded(text)).toBe(expected));

  it.each([
    // A fault must happen when the kernel runs.
    '(1:u32 / 0:u32)',
    '(-2147483648:i32 / -1:i32)',
    '(1:addr - 2:addr)',
    'lane(vec(f32, 4)[1:f32], 4:u32)',
    '((%0 / %1) * 0:u32)',
    '(((%0 / %1) == 1:u32) && false)',
    // Not exact for every float.
    '(%2 + 0:f32)',
    '(%2 * 0:f32)',
    '(%2 - %2)',
    // A NaN's bits are not known.
    'bitcast(u32, nan:f32)',
    'bitcast(f32, 2143289345:u32)',
  ])('%s stays unchanged', (text) => expect(folded(text)).toBe(text));

  it('keeps the span of a computed expression', () => {
    const span = { source: 0, start: 3, end: 8 };
    expect(fold(binary('add', constant('u32', 1), constant('u32', 2), span))).toEqual(constant('u32', 3, span));
  });

  it('leaves malformed expressions unchanged', () => {
    const odd = binary('shl', constant('f32', 1), constant('f32', 1));
    expect(fold(odd)).toEqual(odd);
    const wrong = binary('add', constant('u32', true), constant('u32', 1n));
    expect(fold(wrong)).toEqual(wrong);
  });
});

describe('evaluateConstant', () => {
  it('returns the elements of constant vectors', () => {
    expect(evaluateConstant(binary('mul', constant('i64', 3n), constant('i64', 5n)))).toEqual([15n]);
    expect(evaluateConstant(vector(vectorType('u32', 4), [constant('u32', 7)]))).toEqual([7, 7, 7, 7]);
    expect(evaluateConstant(binary('div', constant('i32', 3), constant('i32', 0)))).toBeUndefined();
  });
});

describe('specialise', () => {
  const special = (body: string, known: Specialisation): string => bodyText(specialise(kernel(body), known));

  it('substitutes the known values of a launch', () => {
    const body = '%0 = ((threadIdx.x + (blockDim.x * blockIdx.x)) + $4)';
    expect(
      special(body, {
        builtins: { 'blockDim.x': 256, 'blockIdx.x': 2 },
        params: (index) => (index === 4 ? 9 : undefined),
      }),
    ).toBe('%0 = ((threadIdx.x + 512:u32) + 9:u32)');
  });

  it('derives further values', () => {
    const builtins = {
      'blockDim.x': 64,
      'blockDim.y': 2,
      'blockDim.z': 1,
      'threadIdx.x': 5,
      'threadIdx.y': 1,
      'threadIdx.z': 0,
    };
    expect(special('%0 = blockThreads %1 = threadLinear %0 = laneId %1 = warpSize', { builtins })).toBe(
      '%0 = 128:u32\n%1 = 69:u32\n%0 = 5:u32\n%1 = 32:u32',
    );
  });

  it('substitutes fields, of any type and depth, and drops code that cannot run', () => {
    const body = `
      if ($0.multi:bool) { %0 = 1:u32 } else { %0 = 2:u32 }
      %5 = $0.team:Team.size:u64
      loop while ($0.multi:bool) { return }`.replaceAll('($0.multi:bool)', '$0.multi:bool');
    const fields = (param: number, field: string): number | undefined =>
      param === 0 ? { multi: 0, 'team.size': 8 }[field] : undefined;
    expect(special(body, { fields })).toBe('%0 = 2:u32\n%5 = 8n:u64');
  });

  it('refuses values that do not fit', () => {
    expect(() => special('%0 = blockDim.x', { builtins: { 'blockDim.x': -1 } })).toThrowError(
      'Cannot specialise blockDim.x to -1: expected a value of u32.',
    );
  });
});

describe('unrollLoops', () => {
  const unrolled = (body: string, limits?: UnrollLimits): string => bodyText(unrollLoops(kernel(body), limits));
  const loop = (body: string): string => `%0 = 0:u32 loop while (%0 < 3:u32) { ${body} } update { %0 = (%0 + 1:u32) }`;

  it('unrolls counted loops', () => {
    expect(unrolled(loop('store ($3 +> %0), (%0 * 2:u32)'))).toBe(
      ['%0 = 0:u32', 'store $3, 0:u32', 'store ($3 +> 1:u32), 2:u32', 'store ($3 +> 2:u32), 4:u32', '%0 = 3:u32'].join(
        '\n',
      ),
    );
  });

  it('unrolls loops that count down or in other types, and nested loops', () => {
    const inner = '%7 = 2:i32 loop while (%7 >= %7) { } update { %7 = (%7 - 1:i32) }';
    expect(unrolled(inner)).toContain('loop');
    const down = '%7 = 1:i32 loop while (%7 >= 0:i32) { print(%7) } update { %7 = (%7 - 1:i32) }';
    expect(unrolled(down)).toBe('%7 = 1:i32\nprint(1:i32)\nprint(0:i32)\n%7 = -1:i32');
    const nested = '%1 = 0:u32 loop while (%1 < (%0 + 1:u32)) { print(%1) } update { %1 = (%1 + 1:u32) }';
    expect(unrolled(loop(nested))).not.toContain('loop');
    expect(unrolled(loop(nested)).match(/print/g)).toHaveLength(6);
  });

  it('gives copied blocks their own labels', () => {
    const text = unrolled(loop('block 4 { if (%1 == %0) { leave 4 } print("x") }'));
    expect(text.match(/block \d+/g)).toEqual(['block 5', 'block 6', 'block 7']);
    expect(text.match(/leave \d+/g)).toEqual(['leave 5', 'leave 6', 'leave 7']);
  });

  it.each([
    ['a break', loop('if %4 { break }'), {}],
    ['a continue', loop('continue'), {}],
    ['a session', loop('call s.new() session 1'), {}],
    ['a counter that is set inside', loop('%0 = (%0 + 1:u32)'), {}],
    ['an unknown start', loop('print(%0)').replace('%0 = 0:u32', '%0 = $4'), {}],
    ['too many rounds', loop('print(%0)'), { maxTrips: 2 }],
    ['too many statements', loop('print(%0) print(%0)'), { maxStatements: 5 }],
    ['no end', '%0 = 0:u32 loop while (%0 < 3:u32) { } update { %0 = (%0 * 1:u32) }', {}],
  ])('leaves a loop with %s', (_, body, limits) => expect(unrolled(body, limits)).toContain('loop'));

  it('unrolls a loop whose break belongs to an inner loop', () => {
    expect(unrolled(loop('loop { break }')).match(/loop/g)).toHaveLength(3);
  });
});

describe('expandIntrinsics', () => {
  it('replaces calls by their bodies, except for kept ones', () => {
    const module = kernel(`
      %0 = call a(%1) { %0 = @g(%1) { (arg(0) + 1:u32) } call b() { sync cta } }
      call b() { print(@f(%0) { @g(arg(0)) { arg(0) } }) }
      call gin.put(%0)`);
    expect(bodyText(expandIntrinsics(module, () => false))).toBe(
      '%0 = (%1 + 1:u32)\nsync cta\nprint(%0)\ncall gin.put(%0)',
    );
    expect(bodyText(expandIntrinsics(module, (name) => name === 'b' || name === 'f'))).toBe(
      [
        '%0 = (%1 + 1:u32)',
        'call b() {',
        '  sync cta',
        '}',
        'call b() {',
        '  print(@f(%0) { arg(0) })',
        '}',
        'call gin.put(%0)',
      ].join('\n'),
    );
    expect(expandIntrinsics(module, () => true)).toBe(module);
  });
});

describe('parseModule', () => {
  it.each([
    ['', 'line 1, column 1: expected "kernel", found the end of the text'],
    ['kernel a { %0 = 1:u32 }', 'line 1, column 13: expected the number of a declared local, found "0"'],
    [
      'kernel a\nlocal %0 i: u32 {\n  %0 = (1:u32 ? 2:u32) }',
      'line 3, column 15: expected a word, number, string or symbol, found "?"',
    ],
    ['kernel a\nlocal %1 i: u32 { }', 'line 2, column 8: expected 0, the number of this local, found "1"'],
    ['kernel a { store }', 'line 1, column 18: expected an expression, found "}"'],
    ['kernel a { jump }', 'line 1, column 12: expected a statement or "}", found "jump"'],
    ['kernel a { fence acquire }', 'line 1, column 26: expected ".", found "}"'],
    ['kernel a { print(1:u33) }', 'line 1, column 20: expected the scalar type of the constant, found "u33"'],
    [
      'kernel a { print((1:u32 +> 1:u32)) }',
      'line 1, column 25: expected an operator that fits the operand on its left, found "+>"',
    ],
    [
      'kernel a { print(lane(1:u32, 1:u32)) }',
      'line 1, column 22: expected the arguments of lane, a vector first, found "("',
    ],
    ['kernel a { print(arg(0)) }', 'line 1, column 22: expected the number of an argument of the intrinsic, found "0"'],
    ['kernel a { print("\\x") }', 'line 1, column 18: expected a string with valid escapes, found ""\\x""'],
    ['kernel a { } }', 'line 1, column 14: expected the end of the text, found "}"'],
    ['kernel a { print(thread) }', 'line 1, column 18: expected an expression, found "thread"'],
    ['kernel a { print(1.5n:i64) }', 'line 1, column 18: expected a whole number before "n", found "1.5n"'],
    ['kernel a { print(1:toString) }', 'line 1, column 20: expected the scalar type of the constant, found "toString"'],
  ])('refuses %j', (text, message) => {
    expect(() => parseModule(text)).toThrowError(`Cannot read IR text at ${message}.`);
  });

  it('accepts comments and any layout', () => {
    const text = 'kernel a // a kernel\nlocal %0 i: u32{%0=1:u32//one\nreturn}';
    expect(printModule(parseModule(text))).toBe('kernel a\nlocal %0 i: u32\n{\n  %0 = 1:u32\n  return\n}\n');
  });
});

describe('printModule', () => {
  it('prints a kernel as text', () => {
    const module = kernel(`
      %0 = (threadIdx.x + (blockDim.x * blockIdx.x))
      loop while (%0 < $4) {
        %2 = load ($2 +> %0)
        if (%2 != 0:f32) { store (window(f32, $1, $0.lsaRank:i32, 16:addr) +> %0), %2 release.system }
        else { %0 = atomic add ($3 +> 0:u32), 1:u32 acq_rel.device }
      } update { %0 = (%0 + (blockDim.x * gridDim.x)) }
      waitAll cta %1 < $4 { %5 = load cast(u64, $3) acquire.system } until (%5 >= 1n:u64)
      %1 = collective shfl tile(32) value %0 lane 0:u32
      call lsaBarrier.sync<order = "acq_rel", T = type vec(f32, 4), coop = coop cta>(%0) session 0 { sync cta }`);
    expect(printModule(module)).toMatchInlineSnapshot(`
      "kernel test
      param $0 comm: DevComm
      param $1 win: Window
      param $2 data: ptr(f32)
      param $3 words: ptr(u32)
      param $4 count: u32
      array #0 scratch: shared f32[64]
      array #1 mine: local u32[4]
      local %0 i: u32
      local %1 j: u32
      local %2 a: f32
      local %3 b: f32
      local %4 flag: bool
      local %5 big: u64
      local %6 v: vec(f32, 4)
      local %7 n: i32
      local %8 at: addr
      {
        %0 = (threadIdx.x + (blockDim.x * blockIdx.x))
        loop while (%0 < $4) {
          %2 = load ($2 +> %0)
          if (%2 != 0:f32) {
            store (window(f32, $1, $0.lsaRank:i32, 16:addr) +> %0), %2 release.system
          } else {
            %0 = atomic add ($3 +> 0:u32), 1:u32 acq_rel.device
          }
        } update {
          %0 = (%0 + (blockDim.x * gridDim.x))
        }
        waitAll cta %1 < $4 {
          %5 = load cast(u64, $3) acquire.system
        } until (%5 >= 1n:u64)
        %1 = collective shfl tile(32) value %0 lane 0:u32
        call lsaBarrier.sync<order = "acq_rel", T = type vec(f32, 4), coop = coop cta>(%0) session 0 {
          sync cta
        }
      }
      "
    `);
  });
});
