import { check, explore } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

import { both, ctas, severities } from './both-engines.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/**
 * Rank 1 stores data and fences. Then it changes a word of rank 0, which waits for it and loads the
 * data.
 */
function signals(atomic: string): Parameters<typeof explore>[1] {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem, .param .u32 rank, .param .u64 all)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mem]; ld.param.u64 %rd2, [all]; ld.param.u32 %r1, [rank]; setp.eq.u32 %p1, %r1, 0; @%p1 bra W;
  mov.u32 %r2, 7; st.global.u32 [%rd1+16], %r2; fence.acq_rel.sys; ${atomic} ret;
W: ld.acquire.sys.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W;
  ld.global.u32 %r3, [%rd1+16]; st.global.u32 [%rd1+32], %r3; ret;
}
`;
  const launch = harness({
    entry: 'k',
    launches: 1,
    ranks: 2,
    grid: 1,
    block: 1,
    setup: ({ alloc, multicast, peer, rank }) => {
      const x = alloc('x', u32, 16);
      return { args: [peer(x, 0), rank, multicast(x)] };
    },
  });
  return harnessProgram(launch, translate(launch, text, { name: 'k.ptx' }));
}

describe('an atomic on a word of another GPU', () => {
  it.each(
    ['red.global.add.u32 [%rd1], 1;', 'multimem.red.global.add.u32 [%rd2], 1;'].filter(
      (_, i) => (i === 0) !== inject('slow'),
    ),
  )('is a warning if it names no scope, because what GPUs do is not known: %s', async (atomic) => {
    const program = signals(atomic);
    const { report } = await explore({ ranks: 2, mode: 'check' }, program, { runs: 1000 });
    for (const one of [await check({ ranks: 2 }, program), report]) {
      expect(one?.verdict).toBe('clean');
      expect(new Set(one?.findings.map(({ severity }) => severity))).toEqual(new Set(['model']));
      expect(one === undefined ? '' : renderReport(one)).toContain('whether GPUs tolerate it is not known');
    }
    expect((await check({ ranks: 2, strict: true }, program)).verdict).toBe('race');
  });

  it.each(
    ['red.relaxed.gpu.global.add.u32 [%rd1], 1;', 'multimem.red.relaxed.gpu.global.add.u32 [%rd2], 1;'].filter(
      (_, i) => (i === 0) !== inject('slow'),
    ),
  )('is an error if it names a scope that is too narrow: %s', async (atomic) => {
    const program = signals(atomic);
    const { report } = await explore({ ranks: 2, mode: 'check' }, program, { runs: 1000 });
    expect([(await check({ ranks: 2 }, program)).verdict, report?.verdict]).toEqual(['race', 'race']);
  });
});

describe('bulk reductions of two GPUs into the memory of one', () => {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem)
{
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  .shared .align 16 .b8 part[16];
  ld.param.u64 %rd1, [mem];
  mov.u32 %r1, 1; mov.u32 %r2, part;
  st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};
  fence.proxy.async.shared::cta;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r2], 16;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
  ret;
}
`;

  it('are a warning, because these instructions have no scope', async () => {
    const launch = harness({
      entry: 'k',
      launches: 1,
      ranks: 2,
      grid: 1,
      block: 1,
      setup: ({ alloc, peer }) => ({ args: [peer(alloc('sums', u32, 4), 0)] }),
    });
    const report = await check({ ranks: 2 }, harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })));
    expect([report.verdict, ...report.findings.map(({ severity }) => severity)]).toEqual(['clean', 'model']);
    expect(renderReport(report)).toContain('whether GPUs order them is not known');
  });
});

const wait = 'W: ld.acquire.sys.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W;';

describe('the last block that draws a ticket', () => {
  const tail = `setp.ne.u32 %p2, %r2, 1; @%p2 bra END; mov.u32 %r3, 9; st.global.u32 [%rd1], %r3; END: ret;`;
  const loads = 'ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd1+64], %r4;';

  it('stores after the loads of the others have ended, on GPUs', async () => {
    const body = `@%p1 bra A; bra B; A: ${loads} B: atom.global.add.u32 %r2, [%rd1+8], 1; ${tail}`;
    expect(await severities(body, ctas)).toEqual(both('model race'));
  });

  it.for(slow)('stores beside a load after the ticket', async () => {
    const body = `atom.global.add.u32 %r2, [%rd1+8], 1; @%p1 bra A; ${tail.replace('END: ret;', 'END: ret; A:')} ${loads} ret;`;
    expect(await severities(body, ctas)).toEqual(both('error race'));
  });

  it.for(slow)('stores beside the loads of others if nothing depends on the ticket', async () => {
    const body = `@%p1 bra A; atom.global.add.u32 %r2, [%rd1+8], 1; mov.u32 %r3, 9; st.global.u32 [%rd1], %r3; ret;
A: ${loads} atom.global.add.u32 %r2, [%rd1+8], 1; ret;`;
    expect(await severities(body, ctas)).toEqual(both('error race'));
  });
});

describe('an atomic of block scope on a word of another block', () => {
  it('is an error, because its scope is named', async () => {
    const body = `@%p1 bra A; ${wait} ret; A: red.relaxed.cta.global.add.u32 [%rd1], 1; ret;`;
    expect(await severities(body, ctas)).toEqual(both('error race'));
  });
});
