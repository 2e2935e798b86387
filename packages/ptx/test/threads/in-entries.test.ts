import { sim } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import { describe, expect, it } from 'vitest';
import { importKernel } from '../../src/import-kernel.ts';
import { parsePtx } from '../../src/syntax/parse-ptx.ts';

const text = `
.version 8.4
.target sm_90
.address_size 64
.extern .func (.param .b32 func_retval0) vprintf (.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.extern .func __assertfail (.param .b64 a0, .param .b64 a1, .param .b32 a2, .param .b64 a3, .param .b64 a4);
.visible .entry work(.param .u64 work_in, .param .u64 work_out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<8>;
  .shared .align 16 .b8 lines[256];
  ld.param.u64 %rd1, [work_in];
  ld.param.u64 %rd2, [work_out];
  atom.shared.add.u32 %r1, [lines+64], 3;
  elect.sync %r2|%p1, 0xffffffff;
  @%p1 cp.async.ca.shared.global [lines+16], [%rd1+16], 16;
  cp.async.commit_group;
  @%p1 cp.async.ca.shared.global [lines], [%rd1], 16, 8;
  cp.async.commit_group;
  cp.async.wait_group 1;
  bar.sync 1, 64;
  ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [lines+16];
  shfl.sync.idx.b32 %r8|%p2, %r4, 3, 31, -1;
  cp.async.wait_all;
  barrier.cta.sync 2, 64;
  ld.shared.v4.u32 {%r9, %r10, %r11, %r12}, [lines];
  @%p2 red.global.add.u32 [%rd2], %r8;
  @%p1 red.global.add.u32 [%rd2+4], %r10;
  @!%p2 trap;
  {
    .param .b64 param0;
    st.param.b64 [param0], %rd1;
    .param .b64 param1;
    st.param.b64 [param1], %rd1;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0, param1);
    ld.param.b32 %r15, [retval0];
  }
  st.global.u32 [%rd2+8], %r11;
  vote.sync.ballot.b32 %r13, %p1, -1;
  st.global.u32 [%rd2+12], %r13;
  bar.red.popc.u32 %r14, 0, %p1;
  st.global.u32 [%rd2+16], %r14;
  ret;
}
`;

const asserts = `
.version 8.4
.target sm_90
.address_size 64
.extern .func __assertfail (.param .b64 a0, .param .b32 a1);
.visible .entry work(.param .u64 work_in, .param .u64 work_out)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [work_in];
  .param .b64 param0;
  st.param.b64 [param0], %rd1;
  .param .b32 param1;
  st.param.b32 [param1], 17;
  call.uni __assertfail, (param0, param1);
  ld.param.u64 %rd2, [work_out];
  st.global.u64 [%rd2], %rd1;
  ret;
}
`;

const generic = `
.version 8.4
.target sm_90
.address_size 64
.visible .entry work(.param .u64 work_in, .param .u64 work_out)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  .shared .align 16 .b8 words[64];
  .local .align 16 .b8 own[64];
  ld.param.u64 %rd1, [work_in];
  ld.param.u64 %rd2, [work_out];
  mov.u64 %rd3, words;
  cvta.shared.u64 %rd4, %rd3;
  mov.u64 %rd5, own;
  cvta.local.u64 %rd6, %rd5;
  st.u32 [%rd6], 1;
  st.global.u64 [%rd1], %rd4;
  st.global.u64 [%rd1+8], %rd6;
  bar.sync 0;
  ld.global.u64 %rd4, [%rd1];
  ld.global.u64 %rd6, [%rd1+8];
  atom.add.u32 %r1, [%rd4], 1;
  atom.add.u32 %r2, [%rd6], 1;
  atom.inc.u32 %r2, [%rd6], 100;
  atom.add.f32 %r4, [%rd4+8], 0f3F800000;
  red.add.u32 [%rd2], 1;
  bar.sync 0;
  ld.shared.u32 %r3, [words];
  st.global.u32 [%rd2+4], %r3;
  st.global.u32 [%rd2+8], %r2;
  ret;
}
`;

/** The results of the entry, from eight words of data. */
async function run(source: string, engine: 'js' | 'wasm' = 'js'): Promise<readonly number[] | undefined> {
  const { module } = parsePtx(source, 'work.ptx');
  if (module === undefined) throw new Error('no module');
  const { kernel, params } = importKernel(module, { entry: 'work' });
  await using world = await World.open({ backend: sim({ ranks: 1, engine }) });
  const [out] = await world.run(async (comm) => {
    const data = await comm.allocWindow('u32', 8);
    await data.write(Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8));
    const results = await comm.allocWindow('u32', 8);
    const addresses = [data, results].map((window) => BigInt(getLsaDevicePointer(window, 0, comm.rank)?.address ?? 0));
    const args = Object.fromEntries(params.map(({ name }, index) => [name, addresses[index] ?? 0n]));
    await comm.launch(kernel, { grid: 1, block: 64 }, args);
    await comm.synchronize();
    return [...(await results.read())];
  });
  return out;
}

describe('thread instructions in an entry', () => {
  it.each(['js', 'wasm'] as const)('work together: %s', async (engine) => {
    // Both warps copy the same bytes. The second half of the first line is zeros.
    expect(await run(text, engine)).toEqual([5 * 64, 2 * 2, 0, 1, 2, 0, 0, 0]);
  });

  it.each(['js', 'wasm'] as const)('update the memory of a generic address: %s', async (engine) => {
    expect(await run(generic, engine)).toEqual([64, 64, 2, 0, 0, 0, 0, 0]);
  });

  it('make the kernel fail if an assertion is false', async () => {
    await expect(run(asserts)).rejects.toThrow(/an assertion failed/u);
  });
});
