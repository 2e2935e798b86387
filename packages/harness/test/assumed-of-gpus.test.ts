import { check } from '@nccl-ts/checker';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

const head = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 pflag, .param .u64 pack, .param .u64 pout, .param .u32 rank)
{
  .reg .pred %p<8>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [px];
  ld.param.u64 %rd2, [pflag];
  ld.param.u64 %rd3, [pack];
  ld.param.u64 %rd4, [pout];
  ld.param.u32 %r1, [rank];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra SECOND;`;

/** Rank 0 loads a word, raises a flag and waits. Rank 1 waits for it and overwrites the word. */
const overwritten = (first: string, second: string): string => `${head}
  ld.global.u32 %r2, [%rd1]; ${first}
  st.relaxed.sys.global.u32 [%rd2], 1;
A: ld.acquire.sys.global.u32 %r3, [%rd3]; setp.eq.u32 %p2, %r3, 0; @%p2 bra A; ${second}
  ret;
SECOND:
B: ld.relaxed.sys.global.u32 %r4, [%rd2]; setp.eq.u32 %p3, %r4, 0; @%p3 bra B;
  st.global.u32 [%rd1], 7; st.release.sys.global.u32 [%rd3], 1;
  ret;
}
`;

/** Rank 1 waits for a flag by a volatile load, and loads the word that rank 0 has stored. */
const reloaded = (before: string, after: string): string => `${head}
  st.global.u32 [%rd1], 7; st.release.sys.global.u32 [%rd2], 1;
  ret;
SECOND: ${before}
B: ld.volatile.global.u32 %r4, [%rd2]; setp.eq.u32 %p3, %r4, 0; @%p3 bra B; ${after}
  ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd4], %r2;
  ret;
}
`;

async function assumed(text: string): Promise<readonly string[]> {
  const launch = harness({
    entry: 'k',
    ranks: 2,
    grid: 1,
    block: 1,
    launches: 1,
    setup({ rank, alloc, peer }) {
      const [x, flag, ack, out] = [
        alloc('x', u32, 4),
        alloc('flag', u32, 4),
        alloc('ack', u32, 4),
        alloc('out', u32, 4),
      ];
      return { args: [peer(x, 1), peer(flag, 1), peer(ack, 0), out, rank] };
    },
  });
  const report = await check({ ranks: 2 }, harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })));
  return report.approximations.map(({ how }) => how);
}

const open = ['a load whose value is not used before a later flag as one that has ended by then'];
const cached = ['a plain load after a volatile wait as one that no L1 cache serves'];
const keep = 'st.global.u32 [%rd4], %r2;';

describe('the assumptions of a warning about the order of GPUs', () => {
  it.each([
    ['nothing, if the value is stored before the flag', overwritten(keep, ''), []],
    ['that the load has ended, if the value is stored after it', overwritten('', keep), open],
    ['nothing, if the bytes are loaded once', reloaded('', ''), []],
    [
      'that no cache serves a load, if the bytes were loaded before',
      reloaded('ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd4], %r2;', ''),
      cached,
    ],
    [
      'nothing, if a fence follows the wait',
      reloaded('ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd4], %r2;', 'fence.acq_rel.sys;'),
      [],
    ],
  ])('are %s', async (_, text, hows) => {
    expect(await assumed(text)).toEqual(hows);
  });
});
