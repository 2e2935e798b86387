import { describe, expect, inject, it } from 'vitest';
import { checkText, refusalOfText, runText, workEntry } from './support/run-text.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The bits of small whole numbers as elements. */
const encoders = {
  f16: (value: number) => half(value, 10, 15),
  bf16: (value: number) => half(value, 7, 127),
  tf32: (value: number) => floatBits(value),
  s8: (value: number) => value & 0xff,
  u8: (value: number) => value & 0xff,
  e4m3: (value: number) => half(value, 3, 7),
  e5m2: (value: number) => half(value, 2, 15),
} as const;

function half(value: number, fraction: number, bias: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const rest = Math.abs(value) / 2 ** exponent - 1;
  const size = fraction === 10 ? 16 : fraction === 7 ? 16 : 8;
  return (value < 0 ? 2 ** (size - 1) : 0) + (exponent + bias) * 2 ** fraction + rest * 2 ** fraction;
}

const view = new DataView(new ArrayBuffer(8));
function floatBits(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

type Type = keyof typeof encoders;

interface Case {
  readonly a: Type;
  readonly b?: Type;
  readonly sum: 'f32' | 'f16' | 's32';
  readonly k: number;
  readonly rows?: 8 | 16;
  readonly words?: string;
}

const bitsOf = (type: Type): number => (type === 'tf32' ? 32 : type === 'f16' || type === 'bf16' ? 16 : 8);

/** Whole numbers that every type has. */
const elementOfA = (type: Type, row: number, k: number): number => ((row * 3 + k * 5) % 7) - (type === 'u8' ? 0 : 3);
const elementOfB = (type: Type, k: number, column: number): number =>
  ((column * 2 + k * 3) % 5) - (type === 'u8' ? 0 : 2);
const elementOfC = (row: number, column: number): number => row * 8 + column - 60;

/** The words of the registers of each lane, as the tables of the PTX ISA place the elements. */
function registers({ a, b = a, sum, k, rows = 16 }: Case): number[][] {
  const per = 32 / bitsOf(a);
  return Array.from({ length: 32 }, (_, lane) => {
    const [group, inGroup] = [lane >> 2, lane & 3];
    const pack = (element: (index: number) => number): number => {
      let word = 0n;
      for (let i = 0; i < per; i++) word |= BigInt(element(i)) << BigInt(i * bitsOf(a));
      return Number(word);
    };
    const parts = k / (4 * per);
    const words: number[] = [];
    for (let part = 0; part < parts; part++) {
      for (let row = group; row < rows; row += 8) {
        words.push(pack((i) => encoders[a](elementOfA(a, row, 4 * per * part + inGroup * per + i))));
      }
    }
    for (let part = 0; part < parts; part++) {
      words.push(pack((i) => encoders[b](elementOfB(b, 4 * per * part + inGroup * per + i, group))));
    }
    for (let row = group; row < rows; row += 8) {
      const [low, high] = [0, 1].map((odd) => elementOfC(row, 2 * inGroup + odd));
      if (sum === 'f16') words.push(encoders.f16(low ?? 0) + encoders.f16(high ?? 0) * 0x10000);
      else for (const one of [low ?? 0, high ?? 0]) words.push(sum === 'f32' ? floatBits(one) : one >>> 0);
    }
    return words;
  });
}

/** The product by its definition. */
function expected({ a, b = a, k }: Case, row: number, column: number): number {
  let sum = elementOfC(row, column);
  for (let i = 0; i < k; i++) sum += elementOfA(a, row, i) * elementOfB(b, i, column);
  return sum;
}

function textOf(one: Case): string {
  const { a, b = a, sum, k, rows = 16, words = '' } = one;
  const parts = k / ((4 * 32) / bitsOf(a));
  const counts = [(rows / 8) * parts, parts, sum === 'f16' ? rows / 8 : rows / 4];
  const all = counts.reduce((total, count) => total + count, 0);
  const [ofA = 0, ofB = 0, ofC = 0] = counts;
  const named = (from: number, count: number): string =>
    `{${Array.from({ length: count }, (_, i) => `%r${from + i}`).join(', ')}}`;
  const loads = Array.from({ length: all }, (_, i) => `  ld.global.b32 %r${1 + i}, [%rd2+${4 * i}];`).join('\n');
  const stores = Array.from({ length: ofC }, (_, i) => `  st.global.b32 [%rd4+${4 * i}], %r${40 + i};`).join('\n');
  return workEntry(`
  mul.wide.u32 %rd1, %r0, ${4 * all};
  add.s64 %rd2, %in, %rd1;
  mul.wide.u32 %rd3, %r0, ${4 * ofC};
  add.s64 %rd4, %out, %rd3;
${loads}
  mma.sync.aligned.m${rows}n8k${k}.row.col${words}.${sum}.${a}.${b}.${sum} ${named(40, ofC)}, ${named(1, ofA)}, ${named(1 + ofA, ofB)}, ${named(1 + ofA + ofB, ofC)};
${stores}`);
}

const cases: readonly Case[] = [
  { a: 'f16', sum: 'f32', k: 16 },
  { a: 'f16', sum: 'f32', k: 8 },
  { a: 'f16', sum: 'f16', k: 16 },
  { a: 'f16', sum: 'f16', k: 8 },
  { a: 'bf16', sum: 'f32', k: 16 },
  { a: 'bf16', sum: 'f32', k: 8 },
  { a: 'tf32', sum: 'f32', k: 8 },
  { a: 'tf32', sum: 'f32', k: 4 },
  { a: 's8', sum: 's32', k: 32 },
  { a: 'u8', b: 's8', sum: 's32', k: 16, words: '.satfinite' },
  { a: 's8', b: 'u8', sum: 's32', k: 16, rows: 8 },
  { a: 'e4m3', b: 'e5m2', sum: 'f32', k: 32 },
  { a: 'e5m2', b: 'e4m3', sum: 'f16', k: 32, words: '.kind::f8f6f4' },
];

describe('mma', () => {
  it.each(cases.map((one) => ({ ...one, b: one.b ?? one.a })).filter((_, i) => (i % 3 === 0) !== inject('slow')))(
    'multiplies $a by $b of $k columns into $sum',
    async (one) => {
      const { sum, rows = 16 } = one;
      const text = textOf(one);
      const given = registers(one).flat();
      const words = await runText(text, { given });
      const perLane = sum === 'f16' ? rows / 8 : rows / 4;
      for (let lane = 0; lane < 32; lane++) {
        const own = words.slice(lane * perLane, (lane + 1) * perLane);
        const wanted: number[] = [];
        for (let row = lane >> 2; row < rows; row += 8) {
          const pair = [0, 1].map((odd) => expected(one, row, 2 * (lane & 3) + odd));
          if (sum === 'f16') wanted.push(encoders.f16(pair[0] ?? 0) + encoders.f16(pair[1] ?? 0) * 0x10000);
          else wanted.push(...pair.map((value) => (sum === 'f32' ? floatBits(value) : value >>> 0)));
        }
        expect(own).toEqual(wanted);
      }
    },
  );

  it('multiplies f64', async () => {
    const text = workEntry(`
  .reg .f64 %d<8>;
  cvt.rn.f64.u32 %d0, %r0;
  mov.f64 %d1, 0d4000000000000000;
  mov.f64 %d2, 0d3FF0000000000000;
  mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d4, %d5}, {%d0}, {%d1}, {%d2, %d2};
  cvt.rzi.s32.f64 %r1, %d4;
  cvt.rzi.s32.f64 %r2, %d5;
  mul.wide.u32 %rd1, %r0, 8;
  add.s64 %rd2, %out, %rd1;
  st.global.v2.u32 [%rd2], {%r1, %r2};`);
    // Row g of A has 4g to 4g + 3, and all of B is 2.
    const words = await runText(text);
    expect(words.slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, i) => 1 + 2 * (16 * (i >> 3) + 6)));
  });

  it('names no approximation for what is only rounded', async () => {
    const [one] = cases;
    if (one === undefined) return;
    const report = await checkText(textOf(one), { given: registers(one).flat() });
    expect([report.verdict, report.approximations]).toEqual(['clean', []]);
  });

  it.for(slow)('has opaque values in its sparse form, which a verdict names', async () => {
    const text = workEntry(`
  mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 0x0;
  st.global.f32 [%out], %f1;
  st.global.f32 [%out+4], %f2;`);
    const report = await checkText(text, { block: 32 });
    expect(report.approximations.map(({ how }) => how)).toEqual([
      'the values of sparse, scaled and rare mma as unknown',
    ]);
    // All lanes have the same operands, so they store the same values.
    expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [first, second] = await runText(text, { block: 32 });
    expect(first).not.toBe(second);
  });

  it('needs the registers of its shape', () => {
    const text = workEntry(
      'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4};',
    );
    expect(refusalOfText(text).join('\n')).toContain('needs 4, 4, 2, 4 registers');
  });
});
