import { describe, expect, inject, it } from 'vitest';

import { both, ctas, severities } from './both-engines.ts';

/** Block 1 waits until the word is 2, by a load of this kind. Block 0 makes the stores. */
function polls(load: string, stores: string, after = ''): string {
  return `mov.u32 %r3, 1; mov.u32 %r4, 2; @%p1 bra A;
W: ${load}.global.u32 %r2, [%rd1]; setp.lt.u32 %p2, %r2, 2; @%p2 bra W; ${after} ret;
A: ${stores} ret;`;
}

const release = 'st.release.gpu.global.u32 [%rd1], %r4;';

describe('a store to a word that a peer polls', () => {
  it.each([
    ['is an atomic of block scope', 'red.relaxed.cta.global.add.u32 [%rd1], 1;', release],
    ['is to a half of it', 'st.relaxed.gpu.global.u16 [%rd1], %r3;', release],
  ])('races with the polls if it %s, even if a strong store ends the wait', async (_, weak, strong) => {
    expect(await severities(polls('ld.acquire.gpu', `${weak} ${strong}`), ctas)).toEqual(both('error race'));
  });

  const plain = 'st.global.u32 [%rd1], %r3;';

  it.each(
    [
      ['acquire', 'ld.acquire.gpu', `${plain} ${release}`, ''],
      ['acquire, of an atomic', 'ld.acquire.gpu', `${plain} red.release.gpu.global.add.u32 [%rd1], 1;`, ''],
      ['that a later fence makes acquire', 'ld.relaxed.gpu', `${plain} ${release}`, 'fence.acq_rel.gpu;'],
      ['volatile', 'ld.volatile', `${plain} st.volatile.global.u32 [%rd1], %r4;`, ''],
    ].filter((_, i) => (i === 0) !== inject('slow')),
  )('races with polls (%s) if it is plain, but GPUs store an aligned word at once', async (_, load, stores, after) => {
    expect(await severities(polls(load, stores, after), ctas)).toEqual(both('model race'));
  });

  it('races with plain polls if it is plain', async () => {
    expect(await severities(polls('ld', `${plain} ${release}`), ctas)).toEqual(both('error race'));
  });

  it('does not race if it is strong for them', async () => {
    const body = polls('ld.acquire.gpu', `st.relaxed.gpu.global.u32 [%rd1], %r3; ${release}`);
    expect(await severities(body, ctas)).toEqual(both(''));
  });

  it('does not race if it is ordered before the wait, or after it', async () => {
    const rounds = `mov.u32 %r3, 1; mov.u32 %r4, 0; @%p1 bra A;
W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.ne.u32 %p2, %r2, 1; @%p2 bra W;
  st.global.u32 [%rd1], %r4; st.release.gpu.global.u32 [%rd1+4], %r3;
X: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.ne.u32 %p2, %r2, 1; @%p2 bra X; ret;
A: st.release.gpu.global.u32 [%rd1], %r3;
Y: ld.acquire.gpu.global.u32 %r2, [%rd1+4]; setp.ne.u32 %p2, %r2, 1; @%p2 bra Y;
  st.release.gpu.global.u32 [%rd1], %r3; ret;`;
    expect(await severities(rounds, ctas)).toEqual(both(''));
  });
});
