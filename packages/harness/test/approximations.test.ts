import { check, explore } from '@nccl-ts/checker';
import { approximationText, renderVerdict, reportToJson, reportToSarif, type CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u64 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

interface Both {
  readonly checked: CheckReport;
  readonly explored: CheckReport | undefined;
}

async function both(body: string, { grid = 2, block = 1 } = {}): Promise<Both> {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem)
{
  .reg .pred %p<20>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<20>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [mem];
  ${body}
  ret;
}
`;
  const launch = harness({
    entry: 'k',
    launches: 1,
    ranks: 1,
    grid,
    block,
    setup: ({ alloc, peer }) => ({
      args: [
        peer(
          alloc('x', u64, 64, () => 0n),
          0,
        ),
      ],
    }),
  });
  const program = harnessProgram(launch, translate(launch, text, { name: 'k.ptx' }));
  const checked = await check({ ranks: 1 }, program);
  const { report } = await explore({ ranks: 1, mode: 'check' }, program, { runs: 2000 });
  return { checked, explored: report };
}

const storeAtSlot = 'mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], 1;';

const named: Readonly<Record<string, { readonly body: string; readonly how: string; readonly block?: number }>> = {
  '%smid': { body: `mov.u32 %r1, %smid; ${storeAtSlot}`, how: "%smid as the block's index" },
  '%warpid': {
    body: `mov.u32 %r1, %warpid; mov.u32 %r2, %ctaid.x; add.u32 %r1, %r1, %r2; ${storeAtSlot}`,
    how: '%warpid as the index of the thread divided by 32',
  },
  activemask: {
    body: 'activemask.b32 %r2;',
    how: 'the active lanes of a warp as those that arrive together',
    block: 32,
  },
  'elect.sync': {
    body: 'elect.sync %r2|%p1, 0xffffffff;',
    how: 'the leader of elect.sync as the lowest lane',
    block: 32,
  },
  'the clock outside of a wait': {
    body: 'mov.u32 %r2, %clock; and.b32 %r2, %r2, 1023; setp.eq.u32 %p1, %r2, 777; @%p1 st.global.u32 [%rd1], %r2;',
    how: "the clock as a count of the simulator's steps",
  },
  'a relaxed store that may come before a load on which a branch depends': {
    body: `mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; selp.b64 %rd4, 0, 8, %p1; sub.u64 %rd5, 8, %rd4;
      add.u64 %rd2, %rd1, %rd4; add.u64 %rd3, %rd1, %rd5;
      ld.relaxed.gpu.global.u32 %r2, [%rd2]; setp.ne.u32 %p2, %r2, 0; @%p2 st.global.u32 [%rd1+16], %r1;
      st.relaxed.gpu.global.u32 [%rd3], 1;`,
    how: 'a relaxed store as if it waited for loads whose values are used before it',
  },
};

describe('a verdict that rests on an approximation', () => {
  it.each(Object.entries(named).filter((_, i) => (i % 3 === 0) !== inject('slow')))(
    'names %s, and claims no schedule of machines',
    async (_, { body, how, block = 1 }) => {
      const { checked, explored } = await both(body, { block });
      for (const report of [checked, explored]) {
        expect(report?.verdict).toBe('clean');
        expect(report?.approximations.map((one) => one.how)).toEqual([how]);
        expect(report?.proves.kind).not.toBe('all schedules');
      }
      expect(renderVerdict(checked)).toContain(`; 1 approximation: ${how} (k.ptx:`);
      expect(renderVerdict(checked)).not.toContain('holds for every schedule');
    },
  );

  it('has them in JSON and SARIF', async () => {
    const { checked } = await both(named['%smid']?.body ?? '');
    const [one] = reportToJson(checked).approximations;
    expect(one).toMatchObject({ how: "%smid as the block's index", place: { line: 11 } });
    const [run] = reportToSarif(checked).runs;
    expect(run?.properties['approximations']).toEqual(checked.approximations.map(approximationText));
  });
});

const handOff = `mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra SET;
    ld.global.nc.u32 %r3, [%rd1+8];
  AGAIN: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra AGAIN;
    ld.global.nc.u32 %r4, [%rd1+16]; bra OVER;
  SET: st.global.u32 [%rd1+16], 7; st.release.gpu.global.u32 [%rd1], 1;
  OVER:`;

it('a load through the cache of constants is named if the launch has stored to the bytes', async () => {
  const { checked, explored } = await both(handOff);
  for (const report of [checked, explored]) {
    expect(report?.verdict).toBe('clean');
    expect(report?.approximations.map(({ how }) => how)).toEqual([
      'ld.global.nc of bytes that the same launch stores, as a plain load',
    ]);
    expect(report?.approximations[0]?.place?.line).toBe(14);
    expect(report?.proves.kind).not.toBe('all schedules');
  }
});

it('a load through the cache of constants is exact if only earlier launches have stored to the bytes', async () => {
  const { checked, explored } = await both('ld.global.nc.u32 %r3, [%rd1+8];');
  for (const report of [checked, explored]) expect(report?.approximations).toEqual([]);
});

describe('a verdict about every schedule', () => {
  it('may depend on %cluster_ctarank, which is exact', async () => {
    const { checked, explored } = await both(
      `mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %ctaid.x; add.u32 %r1, %r1, %r2; ${storeAtSlot}`,
    );
    for (const report of [checked, explored]) {
      expect(report?.approximations).toEqual([]);
      expect(report?.proves.kind).toBe('all schedules');
    }
  });

  it('does not depend on approximations in code that did not run', async () => {
    const { checked, explored } = await both(
      `mov.u32 %r2, %ctaid.x; setp.gt.u32 %p1, %r2, 100; @!%p1 bra OVER; mov.u32 %r1, %smid; ${storeAtSlot} OVER:`,
    );
    for (const report of [checked, explored]) {
      expect(report?.approximations).toEqual([]);
      expect(report?.proves.kind).toBe('all schedules');
    }
  });

  it.each(
    [
      [
        'waits for the load',
        'AGAIN: ld.relaxed.gpu.global.u32 %r2, [%rd2]; setp.eq.u32 %p2, %r2, 0; @%p2 bra AGAIN;',
        '1',
      ],
      ['stores what it has loaded', 'ld.relaxed.gpu.global.u32 %r2, [%rd2];', '%r2'],
      ['does not use the value, so that both orders are explored', 'ld.relaxed.gpu.global.u32 %r2, [%rd2];', '1'],
      ['has a fence after the load', 'ld.relaxed.gpu.global.u32 %r2, [%rd2]; fence.acq_rel.gpu;', '1'],
      ['loads by an acquire', 'ld.acquire.gpu.global.u32 %r2, [%rd2];', '1'],
      [
        'has left by a branch on the load',
        'ld.relaxed.gpu.global.u32 %r2, [%rd2]; setp.ne.u32 %p2, %r2, 0; @%p2 bra OVER;',
        '1',
      ],
    ].filter((_, i) => (i % 3 === 0) !== inject('slow')),
  )('holds if the thread of a relaxed store %s', async (_, load, value) => {
    const { checked } = await both(`mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; add.u64 %rd2, %rd1, 8;
      @%p1 bra SECOND; ${load} st.relaxed.gpu.global.u32 [%rd1], ${value}; bra OVER;
      SECOND: st.relaxed.gpu.global.u32 [%rd2], 1;
      OVER:`);
    expect(checked.approximations).toEqual([]);
    expect(checked).toMatchObject({ verdict: 'clean', proves: { kind: 'all schedules' } });
  });

  it('may rest on rounding, which orders nothing', async () => {
    const { checked } = await both(
      'mov.u32 %r1, %ctaid.x; cvt.rn.f32.u32 %f1, %r1; ex2.approx.f32 %f2, %f1; mov.b32 %r3, %f2; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3;',
    );
    expect(checked).toMatchObject({ verdict: 'clean', proves: { kind: 'all schedules' }, approximations: [] });
  });
});

it.for(slow)('discard is a store: it races with a load of another thread', async () => {
  const { checked, explored } = await both(
    'mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 discard.global.L2 [%rd1], 128; @!%p1 ld.global.u32 %r2, [%rd1+64];',
  );
  for (const report of [checked, explored]) expect(report?.verdict).toBe('race');
});

it.for(slow)('a limit of time in a wait is not an approximation', async () => {
  const { checked } = await both(`mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra SET;
    mov.u64 %rd4, %globaltimer;
  AGAIN: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.ne.u32 %p2, %r2, 0; @%p2 bra OVER;
    mov.u64 %rd5, %globaltimer; sub.u64 %rd6, %rd5, %rd4; setp.gt.u64 %p3, %rd6, 1000000; @%p3 bra OVER; bra AGAIN;
  SET: st.release.gpu.global.u32 [%rd1], 1;
  OVER:`);
  expect(checked.approximations).toEqual([]);
  expect(checked.verdict).toBe('clean');
});
