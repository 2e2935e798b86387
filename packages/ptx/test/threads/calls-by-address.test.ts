import { describe, expect, inject, it } from 'vitest';
import { importKernel } from '../../src/import-kernel.ts';
import { parsePtx } from '../../src/syntax/parse-ptx.ts';
import { refusalOfText, runText, workEntry } from './support/run-text.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const functions = `
.func (.param .b32 result) plus (.param .b32 a, .param .b32 b)
{
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [a];
  ld.param.b32 %r2, [b];
  add.s32 %r3, %r1, %r2;
  st.param.b32 [result], %r3;
  ret;
}
.func (.param .b32 result) times (.param .b32 a, .param .b32 b)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [a];
  ld.param.b32 %r2, [b];
  setp.eq.s32 %p, %r1, 0;
  @%p bra ZERO;
  mul.lo.s32 %r3, %r1, %r2;
  st.param.b32 [result], %r3;
  ret;
ZERO:
  st.param.b32 [result], 1000;
  ret;
}
.func (.param .b32 result) strange (.param .b32 a, .param .b32 b)
{
  .reg .b32 %r<4>;
  frobnicate.u32 %r1, %r2;
  st.param.b32 [result], %r1;
  ret;
}
.func (.param .b32 result) again (.param .b32 a, .param .b32 b)
{
  .reg .b32 %r<4>;
  .param .b32 x;
  .param .b32 y;
  .param .b32 z;
  call.uni (x), again, (y, z);
  ret;
}
.func other (.param .b64 a) { ret; }
.extern .func (.param .b32 result) elsewhere (.param .b32 a, .param .b32 b);
.global .align 8 .u64 table[8] = {plus, times, strange, again, elsewhere, other, 0, 24};
.extern .global .align 8 .b8 unknown[];
`;

/** Each thread calls the function of the table whose number is a word of the input. */
const calls = workEntry(
  `
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd2, %in, %rd1;
  add.s64 %rd3, %out, %rd1;
  ld.global.u32 %r1, [%rd2];
  mul.wide.u32 %rd4, %r1, 8;
  mov.u64 %rd5, table;
  add.s64 %rd6, %rd5, %rd4;
  ld.global.nc.u64 %rd7, [%rd6];
  {
    .param .b32 param0;
    st.param.b32 [param0], %r0;
    .param .b32 param1;
    st.param.b32 [param1], 7;
    .param .b32 retval0;
    prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
    call (retval0), %rd7, (param0, param1), prototype_0;
    ld.param.b32 %r2, [retval0];
  }
  st.global.u32 [%rd3], %r2;`,
  functions,
);

const run = async (...given: readonly number[]): Promise<readonly number[]> => {
  const words = await runTableText(calls, given);
  return words.slice(0, given.length);
};

/** Tables are variables of the module, whose images the launch makes. */
async function runTableText(text: string, given: readonly number[]): Promise<readonly number[]> {
  return runText(text, { block: given.length, given });
}

describe('a call through a table', () => {
  it('reaches the function of each thread', async () => {
    expect(await run(0, 1, 0, 1)).toEqual([7, 7, 9, 21]);
    expect(await run(1, 0)).toEqual([1000, 8]);
  });

  it.each([
    [2, /strange cannot be translated: frobnicate\.u32 is not supported/u],
    [3, /again calls itself/u],
    [4, /elsewhere is defined elsewhere/u],
    [5, /no function with these arguments/u],
    [6, /no function with these arguments/u],
    [7, /no function with these arguments/u],
  ])('fails when it reaches entry %i, and not before', async (index, why) => {
    expect(refusalOfText(calls)).toEqual([]);
    await expect(run(index)).rejects.toThrow(why);
  });

  it('fails at the end of the table', async () => {
    await expect(run(8)).rejects.toThrow(/out of bounds/u);
  });

  it('skips a call whose guard is false', async () => {
    const guarded = calls
      .replace('call (retval0), %rd7', 'setp.ne.u32 %p1, %r0, 1;\n    mov.b32 %r2, 5;\n    @%p1 call (retval0), %rd7')
      .replace('ld.param.b32 %r2, [retval0]', '@%p1 ld.param.b32 %r2, [retval0]');
    expect((await runTableText(guarded, [1, 2, 1])).slice(0, 3)).toEqual([1000, 5, 14]);
  });
});

describe('the address of a function', () => {
  // The jumps are inside of a block that also sets values which all threads have in common.
  it.each(['js', 'wasm'] as const)('is a number that can be passed and called: %s', async (engine) => {
    const text = workEntry(
      `
  mov.u64 %rd1, plus;
  setp.eq.u32 %p1, %r0, 1;
  @%p1 mov.u64 %rd1, times;
  {
    .param .b64 param0;
    st.param.b64 [param0], %rd1;
    .param .b32 retval0;
    call.uni (retval0), apply, (param0);
    ld.param.b32 %r2, [retval0];
  }
  mul.wide.u32 %rd2, %r0, 4;
  add.s64 %rd3, %out, %rd2;
  st.global.u32 [%rd3], %r2;`,
      `${functions}
.func (.param .b32 result) apply (.param .b64 f)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.b64 %rd1, [f];
  {
    .param .b32 param0;
    st.param.b32 [param0], 6;
    .param .b32 param1;
    st.param.b32 [param1], 7;
    .param .b32 retval0;
    prototype_1 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
    call (retval0), %rd1, (param0, param1), prototype_1;
    ld.param.b32 %r1, [retval0];
  }
  st.param.b32 [result], %r1;
  ret;
}
`,
    );
    expect((await runText(text, { block: 2, engine })).slice(0, 2)).toEqual([13, 42]);
  });
});

describe.for(slow)('a table of thousands of functions', () => {
  const many = (count: number, lines: number): string => {
    const names = Array.from({ length: count }, (_, i) => `f${i}`);
    const body = (i: number): string =>
      `.func f${i} ()\n{\n  .reg .b32 %r<2>;\n${`  add.u32 %r1, %r1, 1;\n`.repeat(lines)}  st.shared.u32 [sum], ${i};\n  ret;\n}\n`;
    return workEntry(
      `
  ld.global.u32 %r1, [%in];
  mul.wide.u32 %rd4, %r1, 8;
  mov.u64 %rd5, all;
  add.s64 %rd6, %rd5, %rd4;
  ld.global.u64 %rd7, [%rd6];
  prototype_0 : .callprototype () _ ();
  call %rd7, (), prototype_0;
  ld.shared.u32 %r2, [sum];
  st.global.u32 [%out], %r2;`,
      `.shared .align 4 .b8 sum[4];\n${names.map((_, i) => body(i)).join('')}.global .align 8 .u64 all[${count}] = {${names.join(', ')}};`,
    );
  };

  it('is translated, and its entries are called', async () => {
    const { module } = parsePtx(many(5000, 1), 'work.ptx');
    if (module === undefined) throw new Error('no module');
    expect(importKernel(module, { entry: 'work' }).diagnostics.map(({ severity }) => severity)).toEqual(['warning']);
    const text = many(300, 1);
    for (const index of [0, 63, 64, 299]) {
      expect((await runText(text, { block: 1, given: [index] }))[0]).toBe(index);
    }
  });

  it('leaves out the functions beyond the limit, which fail when they are called', async () => {
    const text = many(300, 400);
    expect((await runText(text, { block: 1, given: [3] }))[0]).toBe(3);
    await expect(runText(text, { block: 1, given: [299] })).rejects.toThrow(/f299 is not translated/u);
  });
});
