import { NcclError } from '@nccl-ts/core';
import { importKernel, parsePtx, type PtxDiagnostic } from '@nccl-ts/ptx';
import { describe, expect, inject, it } from 'vitest';
import { answerOfText } from './support/answer-of-text.ts';
import { pick } from './support/mutate-text.ts';
import { seeded } from './support/seeded.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

function entry(body: string, before = ''): string {
  return `.version 8.5
.target sm_90
.address_size 64
${before}.visible .entry k(.param .u64 mem)
{
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
${body}
}
`;
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n');
}

const nestedIfs = (count: number): string =>
  entry(
    [
      'mov.u32 %r1, %tid.x;',
      lines(count, (i) => `setp.eq.u32 %p1, %r1, ${i}; @%p1 bra E${i};`),
      lines(count, (i) => `E${count - 1 - i}: add.u32 %r1, %r1, 1;`),
      'ret;',
    ].join('\n'),
  );

const table = (count: number): string =>
  entry(
    [
      'mov.u32 %r1, %tid.x;',
      `ts: .branchtargets ${Array.from({ length: count }, (_, i) => `A${i}`).join(', ')};`,
      'brx.idx %r1, ts;',
      lines(count, (i) => `A${i}: add.u32 %r1, %r1, 1;`),
      'ret;',
    ].join('\n'),
  );

const blocks = (count: number): string =>
  entry(
    [
      'mov.u32 %r1, %tid.x;',
      lines(count, (i) => `L${i}: setp.eq.u32 %p1, %r1, ${i}; @%p1 bra L${(i * 7919) % count};`),
      'ret;',
    ].join('\n'),
  );

/** Function `i + 1` calls function `i`, `calls` times. */
const chain = (count: number, calls: number): string =>
  entry(
    `call f${count}; ret;`,
    [
      '.func f0()\n{\n ret;\n}',
      lines(count, (i) => `.func f${i + 1}()\n{\n${` call f${i};`.repeat(calls)} ret;\n}`),
      '',
    ].join('\n'),
  );

/** The first diagnostic of a text that is no kernel. */
function refusal(text: string): string {
  const { module, diagnostics } = parsePtx(text, 'hostile.ptx');
  if (module === undefined) return `${diagnostics[0]?.code} ${diagnostics[0]?.message}`;
  try {
    importKernel(module, { entry: 'k' });
    return 'translated';
  } catch (error) {
    if (!(error instanceof NcclError)) throw error;
    const found: unknown = error.details['diagnostics'];
    if (!Array.isArray(found)) return error.code;
    const [first]: readonly (PtxDiagnostic | undefined)[] = found;
    return `${first?.code} ${first?.message}`;
  }
}

describe('a text that is too large or too deep', () => {
  const refused: readonly (readonly [string, string, string])[] = [
    ['1,100 nested ifs', nestedIfs(1100), 'P4003 k nests branches and loops more than 1000 deep'],
    ['a table of 1,100 targets', table(1100), 'P4003 k nests branches and loops more than 1000 deep'],
    ['40,000 basic blocks', blocks(40_000), 'P4003 k has 40000 labels, and at most 30000 are translated'],
    ['a chain of 2,000 calls', chain(2000, 1), 'P2004 the calls of the kernel are nested more than 256 deep'],
    [
      'a function that is inlined 2^24 times',
      chain(24, 2),
      'P2004 the kernel has more than 500000 instructions, those of its functions included',
    ],
    [
      '20,000 nested scopes',
      entry(`${'{'.repeat(20_000)}${'}'.repeat(20_000)} ret;`),
      'P1001 the scopes of the function are nested too deeply',
    ],
  ];
  const quickly = ['a table of 1,100 targets', 'a chain of 2,000 calls'];
  it.each(refused.filter(([name]) => quickly.includes(name) !== inject('slow')))(
    'is refused with a code: %s',
    (_, text, message) => {
      expect(refusal(text)).toBe(message);
    },
  );

  it.each(
    (
      [
        ['300 nested ifs', nestedIfs(300)],
        ['a table of 300 targets', table(300)],
        ['a chain of 200 calls', chain(200, 1)],
      ] as const
    ).filter(() => !inject('slow')),
  )('is translated below the limit: %s', (_, text) => {
    expect(refusal(text)).toBe('translated');
  });
});

const inherited = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'toLocaleString',
  'propertyIsEnumerable',
  '__defineGetter__',
];

describe.for(quick)('a name that every JavaScript object has', () => {
  it.each(inherited.flatMap((word) => [`${word} %r1, 1; ret;`, `${word}; ret;`, `${word}.u32 %r1, %r2; ret;`]))(
    'is no instruction: %s',
    (body) => {
      expect(refusal(entry(body))).toMatch(/^P2001 \S+ is not supported$/);
    },
  );

  it.each(inherited)('is no modifier: %s', (word) => {
    for (const body of [
      `membar.${word}; ret;`,
      `fence.acq_rel.${word}; ret;`,
      `atom.global.${word}.u32 %r1, [%rd1], 1; ret;`,
      `ld.${word}.global.u32 %r1, [%rd1]; ret;`,
      `setp.${word}.u32 %p1, %r1, 1; ret;`,
      `mov.${word} %r1, 1; ret;`,
      `shf.${word}.b32 %r1, %r1, %r1, 1; ret;`,
      `mov.u32 %r1, {%r1}${word}; ret;`,
    ]) {
      expect(`${body} ${refusal(entry(body))}`).toMatch(/; P\d{4} /);
    }
  });

  it.each(inherited)('names a label, a register, a variable and a function like any other: %s', (word) => {
    const body = `.reg .b32 ${word}; mov.u32 ${word}, 1; call ${word}f; bra ${word}L; ${word}L: mov.u64 %rd1, ${word}V; st.global.u32 [%rd1], ${word}; ret;`;
    const before = `.global .u32 ${word}V[4];\n.func ${word}f()\n{\n ret;\n}\n`;
    expect(refusal(entry(body, before))).toBe('translated');
    expect(refusal(entry(`mov.u64 %rd1, ${word}; st.global.u32 [%rd1], 1; ret;`, `.global .u32 ${word}[4];\n`))).toBe(
      'translated',
    );
    expect(refusal(entry(`bra ${word}; ${word}: ret;`))).toBe('translated');
  });
});

const started = [
  'mov.u32 %r1, %tid.x;',
  'A: add.u32 %r1, %r1, 1;',
  'setp.lt.u32 %p1, %r1, 9;',
  '@%p1 bra A;',
  'B: setp.eq.u32 %p2, %r1, 9;',
  '@%p2 bra C;',
  '{ .reg .b32 %q; mov.u32 %q, 4; add.u32 %r1, %r1, %q; }',
  'C: ld.param.u64 %rd1, [mem];',
  'ts: .branchtargets A, B, C;',
  'brx.idx %r1, ts;',
  'st.global.u32 [%rd1], %r1;',
  'ret;',
];

describe.for(quick)('a text of which lines are moved, dropped or repeated', () => {
  it.each(Array.from({ length: 30 }, (_, seed) => seed))('has diagnostics or is a kernel: seed %s', (seed) => {
    const random = seeded(seed);
    const text = [...started];
    for (let i = 0; i < 6; i++) {
      const from = text.indexOf(pick(text, random));
      const to = text.indexOf(pick(text, random));
      const line = text[from] ?? 'ret;';
      if (random() < 0.5) text.splice(from, 1);
      text.splice(to, 0, random() < 0.3 ? line.replace(/bra \w+|\{|\}/, '') : line);
    }
    const answer = answerOfText(entry(text.join('\n')));
    expect(answer.kind === 'fault' ? `${answer.what}\n${text.join('\n')}` : 'fine').toBe('fine');
  });
});
