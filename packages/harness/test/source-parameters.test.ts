import { entryFacts, entryOf, firstHarness, readPtxModule } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/** The first harness of a C function with these parameters in PTX, whose source is `cu`. */
function written(cu: string, params: readonly string[], body = ''): string {
  const list = params.map((type, i) => `.param .${type} k_param_${i}`).join(', ');
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(${list})
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ${body}
  ret;
}
.file 1 "k.cu"
`;
  const module = readPtxModule(text, 'k.ptx');
  const source = (path: string): string | undefined => (path === 'k.cu' ? cu : undefined);
  return firstHarness(entryFacts(module, entryOf(module, 'k'), source), 'k.cu');
}

const loads = 'ld.param.u64 %rd1, [k_param_0]; ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;';

describe('a first harness', () => {
  it('has the names and types of the source', () => {
    const text = written(
      'extern "C" __global__ void k(const uint16_t* __restrict__ input, int rank, int world_size, size_t count) {}',
      ['u64', 'u32', 'u32', 'u64'],
      loads,
    );
    expect(text).toContain("const input = alloc('input', u16, n, (i) => rank + (i % 8));");
    expect(text).toContain('// (uint16_t * input, int rank, int world_size, size_t count)');
    expect(text).toMatch(/todo\('whose memory', input, .*\n +rank,\n +nRanks,/u);
    expect(text).toMatch(/nRanks,\n +n,\n/u);
  });

  it('has a table of pointers where the source declares one', () => {
    const text = written('__global__ void k(float* const* peers) {}', ['u64'], loads);
    expect(text).toContain("const peers0Memory = alloc('peers0Memory', f32, n, (i) => rank + (i % 8));");
    expect(text).toContain("const peers0 = alloc('peers0', ptr, peers(peers0Memory));");
  });

  it.each([
    ['comments', '__global__ void k(int /* a, b */ mine, // c,\n int other) {}'],
    ['launch bounds and defaults', '__global__ void __launch_bounds__(256) k(int mine, int other = (1, 2)) {}'],
    [
      'a declaration before the definition',
      '__global__ void k(int mine, int other);\n__global__ void k(int mine, int other) {}',
    ],
    ['templates in types', 'template <int N> __global__ void k(std::array<int, 8> mine, int other) {}'],
    ['two branches', '__global__ void k(\n#if A\n int first, int second\n#else\n int mine, int other\n#endif\n) {}'],
    [
      'other kernels',
      '__global__ void kk(int a) {}\n__global__ void k(int mine, int other) {}\nvoid f() { k<<<1, 1>>>(1, 2); }',
    ],
  ])('finds the parameters beside %s', (_, cu) => {
    const text = written(cu, ['u32', 'u32']);
    expect(text).toMatch(/\/\/ \(.*\bmine, int other\)/u);
    expect(text).toContain('args: [0, 0],');
  });

  it.each([
    ['another number of parameters', '__global__ void k(int mine) {}'],
    ['two definitions that differ', '__global__ void k(int a, int b) {}\n__global__ void k(int c, float d) {}'],
    ['no definition', 'void k(int a, int b) {}'],
    ['an open list', '__global__ void k(int a, int b'],
  ])('numbers the parameters if the source has %s', (_, cu) => {
    const text = written(cu, ['u32', 'u32'], 'ld.param.u32 %r1, [k_param_0];');
    expect(text).toMatch(/args: \[\n +todo\('an integer'\),\n +0,/u);
  });

  it('keeps the names of the setup apart from those of parameters', () => {
    const text = written('__global__ void k(unsigned* peer) {}', ['u64'], loads);
    expect(text).toContain("const peer0 = alloc('peer0', u32,");
  });
});
