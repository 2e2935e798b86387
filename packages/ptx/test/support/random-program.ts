import { below, pick, type Random } from './mutate-text.ts';

/** The types of the variables of a program. */
export type ProgramType = 'u32' | 'i32' | 'u64' | 'i64' | 'f32' | 'f64' | 'f16';

/**
 * One operation in both languages: `%0`, `%1` stand for its operands, `%d` for its result, `%k` for
 * a number.
 */
interface Operation {
  readonly result: ProgramType;
  readonly operands: readonly ProgramType[];
  readonly ptx: string;
  readonly kernel: string;
  /** The bounds of the number. */
  readonly number?: readonly [least: number, below: number];
}

const size: Readonly<Record<ProgramType, number>> = { u32: 32, i32: 32, u64: 64, i64: 64, f32: 32, f64: 64, f16: 16 };
const ptxType: Readonly<Record<ProgramType, string>> = {
  u32: 'u32',
  i32: 's32',
  u64: 'u64',
  i64: 's64',
  f32: 'f32',
  f64: 'f64',
  f16: 'f16',
};
const registerType: Readonly<Record<ProgramType, string>> = {
  u32: 'b32',
  i32: 'b32',
  u64: 'b64',
  i64: 'b64',
  f32: 'f32',
  f64: 'f64',
  f16: 'b16',
};

const integers = ['u32', 'i32', 'u64', 'i64'] as const;
const wideFloats = ['f32', 'f64'] as const;

function ofIntegers(type: (typeof integers)[number]): readonly Operation[] {
  const [t, bits] = [ptxType[type], size[type]];
  const two = { result: type, operands: [type, type] } as const;
  const one = { result: type, operands: [type] } as const;
  const shift = { result: type, operands: [type], number: [0, bits] } as const;
  const isSigned = type.startsWith('i');
  // A dividend is never the smallest number, so no quotient overflows.
  const dividend = isSigned ? '(%0 >> 1)' : '%0';
  const dividing = (opcode: string): string =>
    `or.b${bits} %t${bits}, %1, 1; ${isSigned ? `shr.${t} %d, %0, 1; ${opcode}.${t} %d, %d, %t${bits};` : `${opcode}.${t} %d, %0, %t${bits};`}`;
  return [
    { ...two, ptx: `add.${t} %d, %0, %1;`, kernel: '%0 + %1' },
    { ...two, ptx: `sub.${t} %d, %0, %1;`, kernel: '%0 - %1' },
    { ...two, ptx: `mul.lo.${t} %d, %0, %1;`, kernel: '%0 * %1' },
    { result: type, operands: [type, type, type], ptx: `mad.lo.${t} %d, %0, %1, %2;`, kernel: '%0 * %1 + %2' },
    { ...two, ptx: `and.b${bits} %d, %0, %1;`, kernel: '%0 & %1' },
    { ...two, ptx: `or.b${bits} %d, %0, %1;`, kernel: '%0 | %1' },
    { ...two, ptx: `xor.b${bits} %d, %0, %1;`, kernel: '%0 ^ %1' },
    { ...one, ptx: `not.b${bits} %d, %0;`, kernel: '~%0' },
    { ...shift, ptx: `shl.b${bits} %d, %0, %k;`, kernel: '%0 << %k' },
    { ...shift, ptx: `shr.${t} %d, %0, %k;`, kernel: '%0 >> %k' },
    {
      result: type,
      operands: [type, 'u32'],
      ptx: `and.b32 %t32, %1, ${bits - 1}; shl.b${bits} %d, %0, %t32;`,
      kernel: `%0 << ${type}(%1 & ${bits - 1})`,
    },
    {
      result: type,
      operands: [type, 'u32'],
      ptx: `and.b32 %t32, %1, ${bits - 1}; shr.${t} %d, %0, %t32;`,
      kernel: `%0 >> ${type}(%1 & ${bits - 1})`,
    },
    { ...two, ptx: `min.${t} %d, %0, %1;`, kernel: 'min(%0, %1)' },
    { ...two, ptx: `max.${t} %d, %0, %1;`, kernel: 'max(%0, %1)' },
    { ...two, ptx: dividing('div'), kernel: `${dividend} / (%1 | 1)` },
    { ...two, ptx: dividing('rem'), kernel: `${dividend} % (%1 | 1)` },
    ...chosen(type, ['eq', 'ne', 'lt', 'le', 'gt', 'ge']),
    ...(isSigned
      ? [
          { ...one, ptx: `neg.${t} %d, %0;`, kernel: '-%0' },
          { ...one, ptx: `abs.${t} %d, %0;`, kernel: 'abs(%0)' },
        ]
      : []),
  ];
}

const comparisons: Readonly<Record<string, string>> = { eq: '===', ne: '!==', lt: '<', le: '<=', gt: '>', ge: '>=' };

/** A comparison that selects one of two values. */
function chosen(type: ProgramType, operators: readonly string[]): readonly Operation[] {
  return operators.map((one) => ({
    result: type,
    operands: [type, type, type, type],
    // Unlike all other comparisons, !== is true if one of the floats is a NaN.
    ptx: `setp.${one === 'ne' && type.startsWith('f') ? 'neu' : one}.${ptxType[type]} %p, %0, %1; selp.b${size[type]} %d, %2, %3, %p;`.replace(
      /selp\.b(\d+)/,
      type.startsWith('f') && type !== 'f16' ? 'selp.f$1' : 'selp.b$1',
    ),
    kernel: `%0 ${comparisons[one]} %1 ? %2 : %3`,
  }));
}

function ofFloats(type: (typeof wideFloats)[number]): readonly Operation[] {
  const two = { result: type, operands: [type, type] } as const;
  const one = { result: type, operands: [type] } as const;
  return [
    { ...two, ptx: `add.rn.${type} %d, %0, %1;`, kernel: '%0 + %1' },
    { ...two, ptx: `sub.rn.${type} %d, %0, %1;`, kernel: '%0 - %1' },
    { ...two, ptx: `mul.rn.${type} %d, %0, %1;`, kernel: '%0 * %1' },
    { ...two, ptx: `div.rn.${type} %d, %0, %1;`, kernel: '%0 / %1' },
    { result: type, operands: [type, type, type], ptx: `fma.rn.${type} %d, %0, %1, %2;`, kernel: 'fma(%0, %1, %2)' },
    { ...one, ptx: `neg.${type} %d, %0;`, kernel: '-%0' },
    { ...one, ptx: `abs.${type} %d, %0;`, kernel: 'abs(%0)' },
    { ...one, ptx: `abs.${type} %d, %0; sqrt.rn.${type} %d, %d;`, kernel: 'math.sqrt(abs(%0))' },
    { ...one, ptx: `cvt.rmi.${type}.${type} %d, %0;`, kernel: 'math.floor(%0)' },
    { ...one, ptx: `cvt.rpi.${type}.${type} %d, %0;`, kernel: 'math.ceil(%0)' },
    { ...one, ptx: `cvt.rzi.${type}.${type} %d, %0;`, kernel: 'math.trunc(%0)' },
    { ...one, ptx: `cvt.rni.${type}.${type} %d, %0;`, kernel: 'math.round(%0)' },
    ...chosen(type, ['eq', 'ne', 'lt', 'le', 'gt', 'ge']),
  ];
}

const halves: readonly Operation[] = [
  { result: 'f16', operands: ['f16', 'f16'], ptx: 'add.rn.f16 %d, %0, %1;', kernel: '%0 + %1' },
  { result: 'f16', operands: ['f16', 'f16'], ptx: 'sub.rn.f16 %d, %0, %1;', kernel: '%0 - %1' },
  { result: 'f16', operands: ['f16', 'f16'], ptx: 'mul.rn.f16 %d, %0, %1;', kernel: '%0 * %1' },
  { result: 'f16', operands: ['f16'], ptx: 'neg.f16 %d, %0;', kernel: '-%0' },
  { result: 'f16', operands: ['f32'], ptx: 'cvt.rn.f16.f32 %d, %0;', kernel: 'f16(%0)' },
  { result: 'f32', operands: ['f16'], ptx: 'cvt.f32.f16 %d, %0;', kernel: 'f32(%0)' },
  ...chosen('f16', ['lt', 'ge']),
];

/** Converts a number of one type to another. Inexact results are rounded to the nearest. */
function conversions(): readonly Operation[] {
  const made: Operation[] = [];
  for (const from of integers) {
    for (const to of integers) {
      if (from === to) continue;
      const cvt = size[from] === size[to] ? `mov.b${size[to]} %d, %0;` : `cvt.${ptxType[to]}.${ptxType[from]} %d, %0;`;
      made.push({ result: to, operands: [from], ptx: cvt, kernel: `${to}(%0)` });
    }
    for (const to of wideFloats) {
      made.push({ result: to, operands: [from], ptx: `cvt.rn.${to}.${ptxType[from]} %d, %0;`, kernel: `${to}(%0)` });
    }
  }
  made.push({ result: 'f64', operands: ['f32'], ptx: 'cvt.f64.f32 %d, %0;', kernel: 'f64(%0)' });
  made.push({ result: 'f32', operands: ['f64'], ptx: 'cvt.rn.f32.f64 %d, %0;', kernel: 'f32(%0)' });
  return made;
}

const words: readonly Operation[] = [
  { result: 'u32', operands: ['u32'], ptx: 'popc.b32 %d, %0;', kernel: 'popcount(%0)' },
  { result: 'u32', operands: ['u32'], ptx: 'clz.b32 %d, %0;', kernel: 'clz(%0)' },
  { result: 'u32', operands: ['u32'], ptx: 'brev.b32 %d, %0; clz.b32 %d, %d;', kernel: 'ctz(%0)' },
  { result: 'u32', operands: ['u64'], ptx: 'popc.b64 %d, %0;', kernel: 'u32(popcount(%0))' },
  { result: 'u32', operands: ['u64'], ptx: 'clz.b64 %d, %0;', kernel: 'u32(clz(%0))' },
  { result: 'u64', operands: ['u32', 'u32'], ptx: 'mul.wide.u32 %d, %0, %1;', kernel: 'u64(%0) * u64(%1)' },
  { result: 'i64', operands: ['i32', 'i32'], ptx: 'mul.wide.s32 %d, %0, %1;', kernel: 'i64(%0) * i64(%1)' },
  { result: 'u32', operands: ['u32', 'u32'], ptx: 'mul.hi.u32 %d, %0, %1;', kernel: 'u32((u64(%0) * u64(%1)) >> 32)' },
  { result: 'i32', operands: ['i32', 'i32'], ptx: 'mul.hi.s32 %d, %0, %1;', kernel: 'i32((i64(%0) * i64(%1)) >> 32)' },
  { result: 'u32', operands: ['u32'], number: [0, 25], ptx: 'bfe.u32 %d, %0, %k, 7;', kernel: '(%0 >> %k) & 127' },
  {
    result: 'u32',
    operands: ['u32', 'u32', 'u32'],
    ptx: 'lop3.b32 %d, %0, %1, %2, 0xe8;',
    kernel: '(%0 & %1) | (%0 & %2) | (%1 & %2)',
  },
  {
    result: 'u32',
    operands: ['u32', 'u32'],
    number: [1, 32],
    ptx: 'shf.l.wrap.b32 %d, %0, %1, %k;',
    kernel: '(%1 << %k) | (%0 >> (32 - %k))',
  },
  {
    result: 'u32',
    operands: ['u32', 'u32'],
    ptx: 'prmt.b32 %d, %0, %1, 0x6240;',
    kernel: '(%0 & 0xff00ff) | ((%1 & 0xff00ff) << 8)',
  },
  {
    result: 'u64',
    operands: ['u64', 'u64'],
    ptx: '{ .reg .b32 l0, h0, l1, h1; mov.b64 {l0, h0}, %0; mov.b64 {l1, h1}, %1; add.cc.u32 l0, l0, l1; addc.u32 h0, h0, h1; mov.b64 %d, {l0, h0}; }',
    kernel: '%0 + %1',
  },
];

const operations: readonly Operation[] = [
  ...integers.flatMap(ofIntegers),
  ...wideFloats.flatMap(ofFloats),
  ...halves,
  ...conversions(),
  ...words,
  ...words,
];

/** A program in both languages, and its variables. */
export interface RandomProgram {
  readonly ptx: string;
  /** The body of a kernel with `from` and `into`, pointers to u64. */
  readonly kernel: string;
  readonly types: readonly ProgramType[];
  /** The types of the words that each thread receives. */
  readonly inputs: readonly ProgramType[];
}

const inputs: readonly ProgramType[] = ['u32', 'u32', 'i32', 'i32', 'u64', 'i64', 'f32', 'f32', 'f64', 'f64'];

/** A straight line of `length` operations on ten inputs. Each variable is stored afterwards. */
export function randomProgram(random: Random, length: number): RandomProgram {
  const types: ProgramType[] = [...inputs];
  const ptx = inputs.map(readInput);
  const kernel = inputs.map((type, index) => {
    const read = type.startsWith('f') ? `from.cast(f64)[at + ${index}]` : `from[at + ${index}]`;
    return `const v${index} = ${type}(${read});`;
  });
  for (let step = 0; step < length; step++) {
    const possible = operations.filter(({ operands }) => operands.every((type) => types.includes(type)));
    const operation = pick(possible, random);
    const chosenOperands = operation.operands.map((type) => {
      const of = types.flatMap((one, index) => (one === type ? [index] : []));
      // Newer variables more often, so that results are used.
      return below(random, 2) === 0 ? (of.at(-1) ?? 0) : pick(of, random);
    });
    const [least, end] = operation.number ?? [0, 1];
    const number = String(least + below(random, end - least));
    const index = types.push(operation.result) - 1;
    const fill = (text: string, name: string): string =>
      text
        .replaceAll(/%(\d)/g, (_, at: string) => `${name}${chosenOperands[Number(at)] ?? ''}`)
        .replaceAll('%k', number)
        .replaceAll(/%d\b/g, `${name}${index}`);
    ptx.push(fill(operation.ptx, '%v'));
    kernel.push(`const v${index} = ${fill(operation.kernel, 'v')};`);
  }
  types.forEach((type, index) => {
    ptx.push(...writeResult(type, index));
    kernel.push(
      type.startsWith('f')
        ? `into.cast(f64)[to + ${index}] = f64(v${index});`
        : `into[to + ${index}] = u64(v${index});`,
    );
  });
  return { ptx: ptxText(types, ptx), kernel: kernelText(types.length, kernel), types, inputs };
}

function readInput(type: ProgramType, index: number): string {
  const at = `[%from+${8 * index}]`;
  if (type === 'f32') return `ld.global.f64 %t, ${at}; cvt.rn.f32.f64 %v${index}, %t;`;
  return `ld.global.${type === 'f64' ? 'f64' : type === 'u64' || type === 'i64' ? 'u64' : 'u32'} %v${index}, ${at};`;
}

function writeResult(type: ProgramType, index: number): readonly string[] {
  const at = `[%into+${8 * index}]`;
  if (type === 'f64') return [`st.global.f64 ${at}, %v${index};`];
  if (type === 'u64' || type === 'i64') return [`st.global.u64 ${at}, %v${index};`];
  if (type === 'f32' || type === 'f16') return [`cvt.f64.${type} %t, %v${index}; st.global.f64 ${at}, %t;`];
  return [`cvt.${type === 'i32' ? 's64.s32' : 'u64.u32'} %t64, %v${index}; st.global.u64 ${at}, %t64;`];
}

function ptxText(types: readonly ProgramType[], body: readonly string[]): string {
  const registers = types.map((type, index) => `.reg .${registerType[type]} %v${index};`);
  return `.version 8.5
.target sm_90
.address_size 64
.visible .entry program(.param .u64 from, .param .u64 into)
{
.reg .pred %p; .reg .b32 %t32; .reg .b64 %t64; .reg .f64 %t; .reg .b64 %from, %into;
${registers.join('\n')}
ld.param.u64 %from, [from];
ld.param.u64 %into, [into];
mov.u32 %t32, %tid.x;
mad.wide.u32 %from, %t32, ${8 * inputs.length}, %from;
mad.wide.u32 %into, %t32, ${8 * types.length}, %into;
${body.join('\n')}
ret;
}
`;
}

function kernelText(width: number, body: readonly string[]): string {
  return `
const at = threadIdx.x * ${inputs.length};
const to = threadIdx.x * ${width};
${body.join('\n')}
`;
}
