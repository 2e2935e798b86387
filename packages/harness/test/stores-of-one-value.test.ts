import { check, explore } from '@nccl-ts/checker';
import { harness, harnessProgram, translate, u32, u64 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/**
 * Thread 32 copies 16 bytes to shared memory, and thread 0 stores the second half of them again:
 * the same value, or one more. NCCL's kernels copy a channel and its counter in this way.
 */
const textOf = (more: number): string => `.version 8.5
.target sm_90
.address_size 64
.shared .align 16 .b8 copy[16];
.visible .entry k(.param .u64 from, .param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra OTHER;
  ld.global.u64 %rd3, [%rd1+8];
  add.u64 %rd3, %rd3, ${more};
  st.shared.u64 [copy+8], %rd3;
OTHER:
  setp.ne.u32 %p2, %r1, 32;
  @%p2 bra MEET;
  ld.global.v2.u64 {%rd4, %rd5}, [%rd1];
  st.shared.v2.u64 [copy], {%rd4, %rd5};
MEET:
  bar.sync 0;
  @%p1 bra LEFT;
  ld.shared.u64 %rd6, [copy+8];
  st.global.u64 [%rd2], %rd6;
LEFT:
  ret;
}
`;

const launch = harness({
  entry: 'k',
  ranks: 1,
  local: true,
  grid: 1,
  block: 64,
  setup({ alloc }) {
    const from = alloc('from', u64, [5n, 7n]);
    const out = alloc('out', u64, 1);
    return { args: [from, out] };
  },
});

async function severities(more: number): Promise<readonly string[]> {
  const program = harnessProgram(launch, translate(launch, textOf(more), { name: 'k.ptx' }));
  const { findings } = await check({ ranks: 1, local: true }, program);
  return findings.map(({ severity, kind }) => `${severity} ${kind}`);
}

describe('stores of other sizes to the same bytes', () => {
  it('are a note if they store one value', async () => {
    expect(await severities(0)).toEqual(['note race']);
  });

  it('are a race if they store two', async () => {
    expect(await severities(1)).toEqual(['error race']);
  });
});

/**
 * Two CTAs. The second stores a word and raises a flag, for which the first waits before it loads
 * the word. A second launch finds the flag raised, so its load and its store of the same 3 race.
 */
const flagged = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem)
{
  .reg .pred %p<4>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mem];
  mov.u32 %r1, %ctaid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra WAIT;
  st.global.u32 [%rd1], 3;
  red.release.gpu.global.add.u32 [%rd1+32], 1;
  ret;
WAIT:
  ld.acquire.gpu.global.u32 %r2, [%rd1+32];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra WAIT;
  ld.global.u32 %r3, [%rd1];
  st.global.u32 [%rd1+64], %r3;
  ret;
}
`;

describe('a store that only another launch repeats races with a load', () => {
  it.each([0, 1])('also if the launches, which a host orders, are on streams 0 and %i', async (stream) => {
    const twice = harness({
      kernels: { k: { entry: 'k', grid: 2, block: 1 } },
      ranks: 1,
      local: true,
      launches: 1,
      setup: ({ alloc, launch: run, synchronize }) => {
        const mem = alloc('mem', u32, 64, () => 0);
        return { steps: [run('k', [mem]), synchronize(), run('k', [mem], { stream })] };
      },
    });
    const program = harnessProgram(twice, translate(twice, flagged, { name: 'k.ptx' }));
    const { report } = await explore({ ranks: 1, mode: 'check' }, program, { runs: 1000 });
    const checked = await check({ ranks: 1, local: true }, program);
    for (const found of [checked, report])
      expect(found?.findings.filter(({ severity }) => severity === 'error').map(({ kind }) => kind)).toEqual(['race']);
  });
});
