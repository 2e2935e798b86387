import { sim } from '@nccl-ts/backend-sim';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/** A kernel with a table of its own, and one that another file defines. */
const text = `
.version 8.4
.target sm_90
.address_size 64
.func one (.param .b64 to) { .reg .b64 %rd; ld.param.u64 %rd, [to]; st.u32 [%rd], 111; ret; }
.func two (.param .b64 to) { .reg .b64 %rd; ld.param.u64 %rd, [to]; st.u32 [%rd], 222; ret; }
.global .align 8 .u64 own[2] = {one, two};
.extern .global .align 8 .b8 other[];
.visible .entry work(.param .u32 work_index, .param .u32 work_other, .param .u64 work_out)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u32 %r1, [work_index];
  ld.param.u32 %r2, [work_other];
  ld.param.u64 %rd1, [work_out];
  mul.wide.u32 %rd2, %r1, 8;
  mov.u64 %rd3, own;
  mov.u64 %rd4, other;
  setp.ne.u32 %p, %r2, 0;
  selp.b64 %rd5, %rd4, %rd3, %p;
  add.s64 %rd6, %rd5, %rd2;
  ld.global.u64 %rd7, [%rd6];
  {
    .param .b64 param0;
    st.param.b64 [param0], %rd1;
    prototype_0 : .callprototype () _ (.param .b64 _);
    call %rd7, (param0), prototype_0;
  }
  ret;
}
`;

async function run(index: number, other: number, expected: number): Promise<void> {
  const launch = harness({
    entry: 'work',
    launches: 1,
    ranks: 1,
    grid: 1,
    block: 1,
    setup({ alloc }) {
      const out = alloc('out', u32, 1);
      return { args: [index, other, out], expect: () => out.equals([expected]) };
    },
  });
  const program = harnessProgram(launch, translate(launch, text, { name: 'work.ptx' }));
  await program(sim({ ranks: 1 }));
}

describe('a table of functions', () => {
  it('is filled with the functions of the text', async () => {
    await expect(run(0, 0, 111)).resolves.toBeUndefined();
    await expect(run(1, 0, 222)).resolves.toBeUndefined();
    await expect(run(1, 0, 111)).rejects.toThrow(/is 222, but the harness expects 111/u);
  });

  it('fails at its end', async () => {
    await expect(run(2, 0, 0)).rejects.toThrow(/out of bounds/u);
  });

  it('fails if another file defines it, and only when it is reached', async () => {
    await expect(run(0, 1, 0)).rejects.toThrow(/out of bounds: .*'other'/u);
  });
});
