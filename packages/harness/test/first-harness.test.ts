import { readFileSync } from 'node:fs';
import { sim } from '@nccl-ts/backend-sim';
import {
  entryFacts,
  entryOf,
  firstHarness,
  planLaunch,
  probeLaunch,
  readPtxModule,
  type LaunchPlan,
} from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';
import { plannedRequirements } from '../src/first-harness/stand-in-dev-comm.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

interface Written {
  readonly plan: LaunchPlan;
  readonly text: string;
}

/** The first harness of the only entry of a text, after a probe. `sources` are files by path. */
async function probed(ptx: string, sources: Readonly<Record<string, string>> = {}): Promise<Written> {
  const module = readPtxModule(ptx, 'k.ptx');
  const entry = entryOf(module, /^/);
  const facts = entryFacts(module, entry, (path) => sources[path]);
  const plan = await probeLaunch(planLaunch(facts), {
    entry: entry.name,
    text: ptx,
    name: 'k.ptx',
    backend: (ranks) => sim({ ranks, fuel: 2 ** 14 }),
  });
  return { plan, text: firstHarness(facts, 'k.ptx', plan) };
}

/** The first harness without a probe. */
function planned(ptx: string, sources: Readonly<Record<string, string>> = {}): string {
  const module = readPtxModule(ptx, 'k.ptx');
  return firstHarness(
    entryFacts(module, entryOf(module, /^/), (path) => sources[path]),
    'k.ptx',
  );
}

function entryText(params: string, body: string, name = 'k'): string {
  return `.version 8.4
.target sm_90
.address_size 64
.visible .entry ${name}(${params})
{
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<16>;
  ${body}
  ret;
}
.file 1 "/src/k.cu"
`;
}

/** Each thread adds the element of all peers' data: the table is indexed by r, from 0 to 1. */
const sums = entryText(
  '.param .u64 a, .param .u64 b, .param .u32 c',
  `ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [c];
  mov.u32 %r2, %tid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ntid.x; mad.lo.s32 %r2, %r6, %r7, %r2;
LOOP:
  setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE;
  mul.wide.u32 %rd3, %r2, 4;
  ld.global.u64 %rd4, [%rd1]; add.s64 %rd4, %rd4, %rd3; ld.global.f32 %f1, [%rd4];
  ld.global.u64 %rd5, [%rd1+8]; add.s64 %rd5, %rd5, %rd3; ld.global.f32 %f2, [%rd5];
  add.f32 %f3, %f1, %f2; add.s64 %rd6, %rd2, %rd3; st.global.f32 [%rd6], %f3;
  add.s32 %r2, %r2, 64; bra LOOP;
DONE:`,
);

describe('a first harness of a table of pointers', () => {
  const source = '__global__ void k(float* const* data_ptrs, float* out, int count) {}';

  it('has the names of the source, and the results of a probe run', async () => {
    const { text } = await probed(sums, { '/src/k.cu': source });
    expect(text).toContain("const data = alloc('data', f32, n, (i) => rank + (i % 8));");
    expect(text).toContain("const data_ptrs = alloc('data_ptrs', ptr, peers(data));");
    expect(text).toContain("const out = alloc('out', f32, n);");
    expect(text).toContain('args: [data_ptrs, out, n],');
    expect(text).toContain('expect: () => out.equals((i) => sum((r) => r + (i % 8))),');
    expect(text).not.toContain('todo(');
  });

  it.each(['_Z1kPPfS_i', '_Z1kPKPfS_i'])('has it also where the loop is unrolled, by the type in %s', (name) => {
    const unrolled = entryText(
      '.param .u64 a, .param .u64 b, .param .u32 c',
      `ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
      ld.global.u64 %rd3, [%rd1]; ld.global.u64 %rd4, [%rd1+8]; ld.global.f32 %f1, [%rd3];
      st.global.f32 [%rd4], %f1; st.global.f32 [%rd2], %f1;`,
      name,
    );
    expect(planned(unrolled)).toContain("const data0 = alloc('data0', ptr, peers(data0Memory));");
  });

  it('expects no single element, if others have changed too', async () => {
    const first = sums.replace(
      'st.global.f32 [%rd6]',
      'setp.eq.u32 %p2, %r2, 0; @!%p2 mov.f32 %f3, 0fC0A00000; st.global.f32 [%rd6]',
    );
    const { text } = await probed(first, { '/src/k.cu': source });
    expect(text).toContain('// The results, with sum from setup: expect: ');
    expect(text).not.toContain('count: 1');
  });

  it('expects nothing of memory that peers write, if there is another result', async () => {
    const both = sums.replace('st.global.f32 [%rd6]', 'st.global.f32 [%rd4], %f3; st.global.f32 [%rd6]');
    const { text } = await probed(both.replace('add.f32 %f3, %f1, %f2;', 'mov.f32 %f3, %f2;'), { '/src/k.cu': source });
    expect(text).not.toContain('data.equals');
  });

  it('has CTAs of two warps, if the kernel has a barrier of all threads', async () => {
    expect(planned(sums)).toContain('block: 32,');
    expect(planned(sums.replace('LOOP:', 'bar.sync 0; LOOP:'))).toContain('block: 64,');
    expect(planned(sums.replace('LOOP:', 'bar.warp.sync -1; LOOP:'))).toContain('block: 32,');
  });

  it.for(slow)('is the same each time', async () => {
    const sources = { '/src/k.cu': source };
    expect((await probed(sums, sources)).text).toBe((await probed(sums, sources)).text);
  });

  it.for(slow)('has a todo for the count if there is no source, with the value that ended', async () => {
    const { text } = await probed(sums);
    expect(text).toContain("const data0 = alloc('data0', ptr, peers(data0Memory));");
    expect(text).toContain("todo('an integer', n),");
  });

  it.for(slow)('lets an allocation grow until each access is inside', async () => {
    const far = sums.replace('mul.wide.u32 %rd3, %r2, 4;', 'mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd3, 4096;');
    const { text } = await probed(far, { '/src/k.cu': source });
    expect(text).toContain("const data = alloc('data', f32, 2 * n, (i) => rank + (i % 8));");
    expect(text).toContain("const out = alloc('out', f32, 2 * n);");
  });
});

describe('a first harness of flags', () => {
  /**
   * Signals each peer and waits: `flags[peer][rank] = epoch`, then `flags[rank][peer] >= epoch`.
   */
  const barrier = (least: string): string =>
    entryText(
      '.param .align 8 .b8 a[64], .param .u32 b, .param .u32 c, .param .u32 d',
      `mov.b64 %rd1, a; ld.param.u32 %r1, [b]; ld.param.u32 %r2, [c]; ld.param.u32 %r3, [d];
  mov.u32 %r4, %tid.x; setp.ge.u32 %p1, %r4, %r2; @%p1 bra DONE;
  mul.wide.u32 %rd2, %r4, 8; add.s64 %rd3, %rd1, %rd2; ld.param.u64 %rd4, [%rd3];
  mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5; st.release.sys.global.u32 [%rd6], %r3;
  mul.wide.u32 %rd7, %r1, 8; add.s64 %rd8, %rd1, %rd7; ld.param.u64 %rd9, [%rd8];
  mul.wide.u32 %rd10, %r4, 4; add.s64 %rd11, %rd9, %rd10;
WAIT:
  ld.acquire.sys.global.u32 %r5, [%rd11]; setp.lt.u32 %p2, %r5, ${least}; @%p2 bra WAIT;
DONE:`,
      '_Z1k5ArrayIPjLi8EEiij',
    );
  const source =
    'template <typename T, int N> struct Array { T x[N]; };\n__global__ void k(Array<unsigned*, 8> flags, int rank, int world_size, unsigned epoch) {}';

  it('has a table by value, the rank, the ranks and an epoch', async () => {
    const { text, plan } = await probed(barrier('%r3'), { '/src/k.cu': source });
    expect(text).toContain("const flags = alloc('flags', u32, 64);");
    expect(text).toContain('args: (launch) => [array(ptr, 8)(peers(flags)), rank, nRanks, launch + 1],');
    expect(plan.probe).toBe('Probe runs with 2 and 3 ranks ended.');
    expect(plan.ranks).toBeUndefined();
  });

  it('has two tables in one struct without its source', () => {
    const text = planned(fixture('all-reduce.ptx'));
    expect(text).toMatch(/at0: array\(ptr, 8\),\n {2}at64: array\(ptr, 8\),/u);
    expect(text).toMatch(/at0: peers\(data0_0\),\n +at64: peers\(data0_64\),/u);
    expect(text).toContain("const data0_64 = alloc('data0_64', u32, 64);");
  });

  it('says that a probe run did not end', async () => {
    const { text, plan } = await probed(barrier('1000'), { '/src/k.cu': source });
    expect(plan.isProbed).toBeUndefined();
    expect(text).toMatch(/\/\/ A probe run with 2 ranks did not end: deadlock/u);
    expect(text).toContain('args: (launch) => [array(ptr, 8)(peers(flags)), rank, nRanks, launch + 1],');
  });
});

describe('a pointer through which a kernel stores, beside peers whose memory it only reads', () => {
  const stages = entryText(
    '.param .u64 a, .param .u64 b, .param .u64 c',
    `ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd2, %rd4; mov.f32 %f1, 0f3F800000; st.global.f32 [%rd5], %f1;
  mul.wide.u32 %rd6, %r1, 8; add.s64 %rd7, %rd1, %rd6; ld.global.u64 %rd8, [%rd7]; ld.global.f32 %f2, [%rd8];
  add.s64 %rd9, %rd3, %rd4; st.global.f32 [%rd9], %f2;`,
  );
  const sourceWith = (name: string): Readonly<Record<string, string>> => ({
    '/src/k.cu': `__global__ void k(float* const* data_ptrs, float* ${name}, float* out) {}`,
  });

  it('gets the own copy of that memory if its name says so', () => {
    expect(planned(stages, sourceWith('mine'))).toContain('args: [data_ptrs, data, out],');
  });

  it('has memory of its own if its name says that it is for results', () => {
    expect(planned(stages, sourceWith('result'))).toContain('args: [data_ptrs, result, out],');
  });

  it('is left to the author if its name does not tell, or if there is none', () => {
    expect(planned(stages, sourceWith('x'))).toContain("todo('whose memory', x, data)");
    expect(planned(stages)).toMatch(/todo\('whose memory', data1, \w+\)/);
  });
});

it('launches once where the counters of one launch keep the next from ending', async () => {
  const counted = entryText(
    '.param .u64 a',
    `ld.param.u64 %rd1, [a]; atom.add.release.gpu.global.u32 %r1, [%rd1], 1; mov.u32 %r2, %nctaid.x;
WAIT:
  ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.ne.u32 %p1, %r3, %r2; @%p1 bra WAIT;`,
  ).replace(')\n{', ')\n.reqntid 1\n{');
  const { text } = await probed(counted, { '/src/k.cu': '__global__ void k(unsigned* counter) {}' });
  expect(text).toContain('launches: 1,');
  expect(text).toContain('2 launches did not: write into between what the host resets.');
});

it('requires of a device communicator what the calls of the kernel need, for each CTA', () => {
  expect(plannedRequirements(['__nccl_ts_lsa_pointer', '__nccl_ts_lsa_barrier'], 2)).toEqual({ lsaBarrierCount: 2 });
  expect(plannedRequirements(['__nccl_ts_multimem_pointer'], 2)).toEqual({ lsaMultimem: true });
  expect(plannedRequirements(['__nccl_ts_barrier', '__nccl_ts_gin_put'], 3)).toEqual({
    ginConnectionType: 'full',
    ginSignalCount: 8,
    barrierCount: 3,
    lsaBarrierCount: 3,
  });
});

it('takes the integer that alone indexes the pointers for the rank', () => {
  const text = planned(
    entryText(
      '.param .u64 a, .param .u32 b',
      `ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [b]; mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2; ld.global.u64 %rd4, [%rd3]; st.global.u32 [%rd4], %r2;`,
    ),
  );
  expect(text).toContain('args: [data0, rank],');
});

describe('a struct of a first harness', () => {
  const reads = entryText(
    '.param .align 8 .b8 a[48]',
    `ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [a+24]; ld.param.u32 %r1, [a+32]; ld.param.u32 %r2, [a+40];
  mul.wide.u32 %rd3, %r1, 8; mov.u32 %r3, %tid.x; st.global.u32 [%rd1], %r3; st.global.u32 [%rd2], %r2;`,
    '_Z1k6Params',
  );
  const kernel = '__global__ void k(Params p) {}';

  it('has the fields of its source, of its base and of a header', () => {
    const text = planned(reads, {
      '/src/k.cu': `#include "lib/params.h"\nstruct Params : public Base { int my_rank; float scale; int numel; };\n${kernel}`,
      '/src/include/lib/params.h': `#define ROWS 2\nenum class Kind { A };\nstruct Inner { unsigned *counters[ROWS]; };
struct Base { Inner inner; Kind kind; unsigned *flag; Base() : kind(Kind::A) {} static int unused; };`,
    });
    expect(text).toContain('inner_counters: array(ptr, 2),');
    expect(text).toMatch(
      /gap16: bytes\(8\),\n {2}flag: ptr,\n {2}my_rank: u32,\n {2}gap36: bytes\(4\),\n {2}numel: u32,/u,
    );
    expect(text).toMatch(/\n +my_rank: rank,\n +numel: n,/u);
  });

  it('has variables of other names for fields that are words of the language', () => {
    const struct = 'struct Params { float *in; int a, b, c, d; float *var; int my_rank; int e; int numel; };';
    const text = planned(reads, { '/src/k.cu': `${struct}\n${kernel}` });
    expect(text).toContain("const in2 = alloc('in2', ");
    expect(text).toContain("const var2 = alloc('var2', ");
    expect(text).toMatch(/\n +in: in2,\n +var: var2,/u);
  });

  it('has offsets if the source does not fit what the kernel reads', () => {
    const text = planned(reads, { '/src/k.cu': `struct Params { char a[3]; int b; };\n${kernel}` });
    expect(text).toContain('at24: ptr,');
    expect(text).toContain("at32: todo('an integer'),");
  });
});

it('pairs a multicast address with the memory of its name', () => {
  const text = planned(
    entryText(
      '.param .u64 a, .param .u64 b, .param .u64 c',
      `ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; mov.u32 %r2, %tid.x;
  multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; st.global.f32 [%rd3], %f2; ld.global.f32 %f2, [%rd3];`,
    ),
    { '/src/k.cu': '__global__ void k(float *buf_mc, float *input, float *buf_uc) {}' },
  );
  expect(text).toContain('args: [multicast(buf_uc), input, buf_uc],');
});

it('takes the version of NCCL from the headers that the text names', () => {
  const ptx = `${entryText(
    '.param .u64 a',
    'ld.param.u64 %rd1, [a]; mov.u32 %r2, %tid.x; ld.global.u32 %r1, [%rd1];',
    '_Z1kP17ncclWindow_vidmem',
  )}.file 2 "/inc/nccl_device/core.h"\n`;
  const header = (minor: number): string => `#define NCCL_MAJOR 2\n#define NCCL_MINOR ${minor}\n#define NCCL_PATCH 3\n`;
  expect(planned(ptx, { '/inc/nccl.h': header(31) })).toContain("{ version: '2.31' }");
  expect(planned(ptx, { '/inc/nccl.h': header(29) })).toContain("{ version: '2.29.3' }");
  expect(planned(ptx)).toContain("{ version: '2.30' }");
});

it('has the number of ranks of a template argument', () => {
  const ptx = entryText(
    '.param .u64 a',
    'ld.param.u64 %rd1, [a]; mov.u32 %r2, %tid.x; st.global.u32 [%rd1], %r2;',
    '_Z1kIfLi4EEvPT_',
  );
  const sources = {
    '/src/k.cu': 'template <typename T, int kNumRanks>\n__global__ void __launch_bounds__(256) k(T *out) {}',
  };
  expect(planned(ptx, sources)).toContain('\n  ranks: 4,\n');
  expect(planned(ptx)).not.toContain('\n  ranks: 4,\n');
});

it.for(slow)('is a module that type-checks', async () => {
  const { text } = await probed(fixture('all-reduce.ptx'), {
    'all-reduce.cu': fixture('all-reduce.cu'),
  });
  await expect(text).toMatchFileSnapshot('fixtures/first-harness-probed.ts');
});
