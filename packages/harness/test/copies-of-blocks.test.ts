import { describe, expect, inject, it } from 'vitest';

import { both, ctas, severities } from './both-engines.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const fence = 'fence.proxy.async;';

/**
 * Block 0 copies to global memory and raises a flag; block 1 waits for the flag and copies from
 * there.
 */
function handOff({ first, second }: { readonly first: string; readonly second: string }): string {
  return `@%p1 bra A;
  mbarrier.init.shared::cta.b64 [%r11], 1; fence.mbarrier_init.release.cluster;
W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W; ${second}
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r11], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1+64], 16, [%r11];
C: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r11], 0; @!%p3 bra C;
  ld.shared.u32 %r6, [%r10]; st.global.u32 [%rd1+128], %r6; ret;
A: mov.u32 %r4, 7; st.shared.v4.u32 [%r10], {%r4, %r4, %r4, %r4}; fence.proxy.async.shared::cta;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [%r10], 16;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ${first}
  st.release.gpu.global.u32 [%rd1], 1; ret;`;
}

describe('a copy of bytes that another block has copied', () => {
  it.for(quick)('is not ordered after it by a flag alone, which GPUs tolerate', async () => {
    expect(await severities(handOff({ first: '', second: '' }), ctas)).toEqual(both('model proxy'));
    expect(await severities(handOff({ first: '', second: '' }), ctas, { strict: true })).toEqual(both('error proxy'));
  });

  it.each(
    (
      [
        ['before the flag', { first: fence, second: '' }],
        ['after the wait', { first: '', second: fence }],
      ] as const
    ).filter(() => inject('slow')),
  )('is ordered after it with a proxy fence %s', async (_, fences) => {
    expect(await severities(handOff(fences), ctas, { strict: true })).toEqual(both(''));
  });
});
