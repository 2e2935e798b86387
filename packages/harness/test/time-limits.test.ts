import { check } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { harness, harnessProgram, ptr, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/**
 * Each rank stores its data and raises the peer's flag. It waits for its own flag with a limit, and
 * then reads the peer's data. A loop jumps to DONE, with the flag's last value in `%r1`.
 */
function textOf(loop: string, isMended: boolean): string {
  return `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 flag, .param .u64 peerFlag, .param .u64 data, .param .u64 peerData, .param .u64 out,
  .param .u64 table, .param .u32 limit)
{
  .reg .pred %p<20>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [peerFlag];
  ld.param.u64 %rd3, [data];
  ld.param.u64 %rd4, [peerData];
  ld.param.u64 %rd5, [out];
  ld.param.u64 %rd6, [table];
  ld.param.u32 %r15, [limit];
  st.global.u32 [%rd3], 7;
  st.release.sys.global.u32 [%rd2], 1;
  mov.u64 %rd10, %clock64;
  mov.u32 %r2, 0;
  mov.u32 %r3, 5000;
  ${loop}
DONE:
  ${isMended ? 'setp.ne.u32 %p9, %r1, 1; @%p9 bra LEFT;' : ''}
  ld.global.u32 %r9, [%rd4];
  st.global.u32 [%rd5], %r9;
LEFT:
  ret;
}
`;
}

const launch = harness({
  entry: 'k',
  ranks: 2,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, alloc, peer }) {
    const [flag, data, out] = [alloc('flag', u32, 2), alloc('data', u32, 1), alloc('out', u32, 1)];
    const table = alloc('table', ptr, [peer(flag, rank)]);
    return { args: [flag, peer(flag, 1 - rank), data, peer(data, 1 - rank), out, table, 5000] };
  },
});

const look = 'ld.acquire.sys.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 1;';
const late = 'mov.u64 %rd11, %clock64; sub.s64 %rd12, %rd11, %rd10; setp.gt.s64 %p2, %rd12, 1000000;';

const loops: readonly (readonly [title: string, loop: string])[] = [
  ['by the clock', `L: ${look} @%p1 bra DONE; ${late} @%p2 bra DONE; bra L;`],
  ['by the clock, joined with the flag', `L: ${look} ${late} or.pred %p3, %p1, %p2; @!%p3 bra L;`],
  [
    'by the clock, with a pointer that each round loads',
    `L: ld.global.u64 %rd1, [%rd6]; ${look} @%p1 bra DONE; ${late} @%p2 bra DONE;
     ld.global.u64 %rd7, [%rd6]; ld.acquire.sys.global.u32 %r8, [%rd7+4]; setp.eq.u32 %p4, %r8, 0; @%p4 bra L;`,
  ],
  ['by thousands of rounds', `L: ${look} @%p1 bra DONE; add.u32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, 5000; @!%p2 bra L;`],
  [
    'by thousands of rounds, joined with the flag by or',
    `L: ${look} add.u32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, 5000; or.pred %p3, %p1, %p2; @!%p3 bra L;`,
  ],
  [
    'by thousands of rounds, joined with the flag by and',
    `L: ${look} add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5000; not.pred %p4, %p1; and.pred %p3, %p4, %p2; @%p3 bra L;`,
  ],
  [
    'by rounds that are counted down',
    `L: ${look} @%p1 bra DONE; add.s32 %r3, %r3, -1; setp.ne.s32 %p2, %r3, 0; @%p2 bra L;`,
  ],
  [
    'by as many rounds as the launch says',
    `L: ${look} @%p1 bra DONE; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r15; @%p2 bra L;`,
  ],
  [
    'by rounds of two looks each',
    `L: ${look} @%p1 bra DONE; add.u32 %r2, %r2, 2; setp.gt.u32 %p2, %r2, 5000; or.pred %p3, %p1, %p2; @%p3 bra DONE;
     ${look} @%p1 bra DONE; bra L;`,
  ],
];

describe('a wait with a limit', () => {
  it.each(loops.filter((_, i) => (i % 3 === 0) !== inject('slow')))(
    '%s expires in some schedule',
    async (_title, loop) => {
      const program = (isMended: boolean) =>
        harnessProgram(launch, translate(launch, textOf(loop, isMended), { name: 'k.ptx' }));
      const broken = await check({ ranks: 2 }, program(false));
      expect(broken.findings.map(({ kind, severity }) => `${severity} ${kind}`)).toEqual(['error race']);
      expect(renderReport(broken)).toContain('= note: a time limit of a wait has expired in this run');
      const mended = await check({ ranks: 2 }, program(true));
      expect(mended.findings).toEqual([]);
    },
  );
});
