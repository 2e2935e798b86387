import { check } from '@nccl-ts/checker';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/** Each rank stores element 0 of its peer's memory, and element 1 of its own. */
const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mine, .param .u64 peer)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mine];
  ld.param.u64 %rd2, [peer];
  st.relaxed.sys.global.u32 [%rd2], 1;
  st.global.u32 [%rd1+4], 2;
  ret;
}
`;

/** The findings if the harness expects `values` from element `from` on. */
async function found(values: readonly number[], from: number): Promise<readonly string[]> {
  const launch = harness({
    entry: 'k',
    ranks: 2,
    grid: 1,
    block: 1,
    launches: 1,
    setup({ rank, alloc, peer }) {
      const mine = alloc('mine', u32, 2);
      return { args: [mine, peer(mine, 1 - rank)], expect: () => mine.equals(values, { from, count: values.length }) };
    },
  });
  const { findings } = await check({ ranks: 2 }, harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })));
  return findings.map(({ kind, message }) => `${kind}: ${message}`);
}

describe('the bytes that a harness compares', () => {
  it('are only those that it expects', async () => {
    expect(await found([2], 1)).toEqual([]);
  });

  it('race with a late store to one of them', async () => {
    expect(await found([1, 2], 0)).toEqual([expect.stringMatching(/^race: a host read and a store of the same bytes/)]);
  });

  it('are named by their element if they differ', async () => {
    expect(await found([3], 1)).toEqual([expect.stringMatching(/element 1 of 'mine' of rank \d is 2, .* expects 3/)]);
  });

  it('may be none', async () => {
    expect(await found([], 1)).toEqual([]);
  });
});
