import { sim } from '@nccl-ts/backend-sim';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/** Stores to an element of the peer's data, whose address it computes from that of rank 0. */
const text = `
.version 8.0
.target sm_90
.address_size 64
.visible .entry push(.param .u64 base, .param .u64 stride, .param .u32 peer, .param .u32 element)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [base];
  ld.param.u64 %rd2, [stride];
  ld.param.u32 %r1, [peer];
  ld.param.u32 %r2, [element];
  cvt.u64.u32 %rd3, %r1;
  mad.lo.s64 %rd4, %rd3, %rd2, %rd1;
  mul.wide.s32 %rd5, %r2, 4;
  add.s64 %rd6, %rd4, %rd5;
  st.global.u32 [%rd6], 1;
  ret;
}
`;

async function push(element: number): Promise<void> {
  const definition = harness({
    entry: 'push',
    grid: 1,
    block: 1,
    setup({ rank, alloc, peer, rankStride }) {
      const data = alloc('data', u32, 1024);
      alloc('flags', u32, 1024);
      return { args: [peer(data, 0), rankStride, 1 - rank, element] };
    },
  });
  await harnessProgram(definition, translate(definition, text, { name: 'push.ptx' }))(sim({ ranks: 2 }));
}

describe('an address that a kernel computes', () => {
  it('is inside of an allocation up to its last element', async () => {
    await expect(push(1023)).resolves.toBeUndefined();
  });

  it.each([1024, 1500, 10_000])(
    'does not reach the next allocation by element %i, past the end of its own',
    async (element) => {
      await expect(push(element)).rejects.toMatchObject({
        code: 'NCCLTS_OUT_OF_BOUNDS',
        message: expect.stringContaining(`byte ${element * 4} of 'data' (4096 bytes), rank`),
      });
    },
  );
});
