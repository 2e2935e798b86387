import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u64 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The store of a line of 128 bytes by 8 lanes. The second half of the last lane is the flag. */
const stores = {
  once: 'st.volatile.global.v2.u64 [%rd5], {%rd6, %rd7};',
  'by two instructions': 'st.volatile.global.u64 [%rd5], %rd6; st.volatile.global.u64 [%rd5+8], %rd7;',
  'in two branches': `@%p3 bra HIGH;
    st.volatile.global.v2.u64 [%rd5], {%rd6, %rd7};
    bra DONE;
  HIGH:
    st.volatile.global.v2.u64 [%rd5], {%rd6, %rd7};
  DONE:`,
} as const;

/** The way in which the peer reads it. */
const reads = {
  together: `LOOP:
    ld.volatile.global.v2.u64 {%rd8, %rd9}, [%rd4];
    setp.ne.u64 %p1, %rd9, 1;
    and.pred %p1, %p1, %p2;
    vote.sync.any.pred %p1, %p1, 255;
    @%p1 bra LOOP;`,
  'after the flag': `@!%p2 bra READ;
  LOOP:
    ld.volatile.global.u64 %rd9, [%rd4+8];
    setp.ne.u64 %p1, %rd9, 1;
    @%p1 bra LOOP;
  READ:
    bar.warp.sync 255;
    ld.global.v2.u64 {%rd8, %rd9}, [%rd4];`,
} as const;

/**
 * The first lanes of each warp store a line to the peer: lane l stores `{ 100 + l, 200 + l }`, and
 * the last one `{ 107, 1 }`. The first 8 lanes of warp 0 read the line of the peer.
 */
const text = (store: string, read: string): string => `
.version 8.5
.target sm_90
.address_size 64
.visible .entry exchange(.param .u64 far, .param .u64 near, .param .u64 out, .param .u32 lanes)
{
  .reg .pred %p<6>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [far];
  ld.param.u64 %rd2, [near];
  ld.param.u64 %rd3, [out];
  ld.param.u32 %r1, [lanes];
  mov.u32 %r2, %tid.x;
  and.b32 %r3, %r2, 31;
  shr.u32 %r4, %r2, 5;
  setp.ge.u32 %p4, %r3, %r1;
  @%p4 bra RECEIVE;
  mad.lo.u32 %r3, %r4, %r1, %r3;
  mul.wide.u32 %rd5, %r3, 16;
  add.s64 %rd5, %rd1, %rd5;
  add.u32 %r5, %r3, 100;
  cvt.u64.u32 %rd6, %r5;
  add.u32 %r6, %r3, 200;
  setp.eq.u32 %p2, %r3, 7;
  selp.b32 %r6, 1, %r6, %p2;
  cvt.u64.u32 %rd7, %r6;
  setp.ge.u32 %p3, %r3, 4;
  ${store}
RECEIVE:
  setp.ge.u32 %p4, %r2, 8;
  @%p4 bra END;
  mul.wide.u32 %rd5, %r2, 16;
  add.s64 %rd4, %rd2, %rd5;
  add.s64 %rd10, %rd3, %rd5;
  setp.eq.u32 %p2, %r2, 7;
  bar.warp.sync 255;
  ${read}
  st.global.v2.u64 [%rd10], {%rd8, %rd9};
END:
  ret;
}
`;

/** How the line is stored and read, and where it begins. */
interface Exchange {
  readonly store?: keyof typeof stores;
  readonly read?: keyof typeof reads;
  /** The number of lanes of each warp that store. With 4, two warps do. */
  readonly lanes?: 4 | 8;
  readonly offset?: number;
}

function program({ store = 'once', read = 'together', lanes = 8, offset = 0 }: Exchange) {
  const launch = harness({
    entry: 'exchange',
    ranks: 2,
    grid: 1,
    block: 256 / lanes,
    launches: 1,
    setup({ rank, alloc, peer }) {
      const line = alloc('line', u64, 32);
      const out = alloc('out', u64, 16);
      const args = [peer(line, 1 - rank, offset), peer(line, rank, offset), out, lanes];
      return { args, expect: () => out.equals((i) => (i === 15 ? 1 : 100 * (1 + (i % 2)) + (i >> 1))) };
    },
  });
  return harnessProgram(launch, translate(launch, text(stores[store], reads[read]), { name: 'exchange.ptx' }));
}

/** The report of schedules in which threads lag behind. */
const checked = (exchange: Exchange, strict = false): Promise<CheckReport> =>
  check({ ranks: 2, strategy: 'late', schedules: 4, strict }, program(exchange));

const told = (report: CheckReport): string =>
  [...new Set(report.findings.map(({ severity, kind }) => `${severity} ${kind}`))].join(', ');

describe('a line of 128 bytes whose last word is its flag', () => {
  it('arrives whole over NVLink if one instruction of one warp stores it, which PTX does not guarantee', async () => {
    const report = await checked({});
    expect([report.verdict, told(report)]).toEqual(['clean', 'model fault']);
    for (const { message } of report.findings) expect(message).toContain('128 bytes arrives whole');
    expect((await checked({}, true)).verdict).toBe('fault');
  });

  it.for(slow)('is seen whole by other lanes after one of them has seen the flag', async () => {
    const report = await checked({ read: 'after the flag' });
    expect([report.verdict, told(report)]).toEqual(['clean', 'model race, model fault']);
  });

  it.each(
    (
      [
        ['two instructions store it', { store: 'by two instructions' }],
        ['two instructions in different branches store it', { store: 'in two branches' }],
        ['two warps store it', { lanes: 4, read: 'after the flag' }],
        ['it is not aligned', { offset: 64 }],
      ] satisfies [string, Exchange][]
    ).filter((_, i) => (i === 0) !== inject('slow')),
  )('may arrive in parts if %s', async (_, exchange) => {
    expect(told(await checked(exchange))).toMatch(/^error (fault|race)/);
  });
});
