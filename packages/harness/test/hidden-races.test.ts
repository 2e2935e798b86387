import { describe, expect, inject, it } from 'vitest';

import { both, ctas, severities, threads, warp } from './both-engines.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

/** Thread 1 waits for the flag at byte 8, relaxed, and stores 1. */
const storesAgain = `B: ld.relaxed.gpu.global.u32 %r2, [%rd1+8]; setp.eq.u32 %p2, %r2, 0; @%p2 bra B;
  mov.u32 %r3, 1; st.global.u32 [%rd1], %r3; ret;`;
/** Thread 0 stores 1, and then the flag. */
const storesFirst = 'mov.u32 %r3, 1; st.global.u32 [%rd1], %r3; st.relaxed.gpu.global.u32 [%rd1+8], 1; ret;';

describe('a race of stores of one value does not hide', () => {
  it.for(slow)('a later store of another value', async () => {
    const clears = 'mov.u32 %r3, 0; st.global.u32 [%rd1], %r3; setp.ne.u32 %p2, %r1, 31; @%p2 ret;';
    const sets = 'mov.u32 %r3, 5; st.global.u32 [%rd1], %r3; ret;';
    expect(await severities(`${clears} ${sets}`, warp)).toEqual(both('error race, note race'));
    const adds = 'red.relaxed.gpu.global.add.u32 [%rd1], 5; ret;';
    expect(await severities(`${clears} ${adds}`, warp)).toEqual(both('error race, note race'));
    expect(await severities(`${clears} ret;`, warp)).toEqual(both('note race'));
  });

  it.for(quick)('the store that one of them replaces, from the next store of its thread', async () => {
    const further = storesAgain.replace('ret;', 'mov.u32 %r3, 5; st.global.u32 [%rd1], %r3; ret;');
    expect(await severities(`@%p1 bra A; ${further} A: ${storesFirst}`, ctas)).toEqual(both('error race, note race'));
    expect(await severities(`@%p1 bra A; ${storesAgain} A: ${storesFirst}`, ctas)).toEqual(both('note race'));
  });

  it.for(quick)('an older store of another value, from a load', async () => {
    const loads = storesAgain.replace('ret;', 'ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd1+64], %r4; ret;');
    const before = 'mov.u32 %r3, 2; st.global.u32 [%rd1], %r3;';
    expect(await severities(`@%p1 bra A; ${loads} A: ${before} ${storesFirst}`, ctas)).toEqual(
      both('error race, note race'),
    );
  });

  it.each(
    (
      [
        ['load', 'ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd1+64], %r4;', 'model'],
        ['atomic', 'red.relaxed.gpu.global.add.u32 [%rd1], 2;', 'error'],
        ['store of another value', 'mov.u32 %r3, 2; st.global.u32 [%rd1], %r3;', 'error'],
      ] as const
    ).filter(() => !inject('slow')),
  )('an older %s of the same thread, which only the history of the word shows', async (_, before, severity) => {
    expect(await severities(`@%p1 bra A; ${storesAgain} A: ${before} ${storesFirst}`, ctas)).toEqual(
      both(`${severity} race, note race`),
    );
  });
});

describe('lanes that all store to one place in shared memory', () => {
  const shared = (
    stores: string,
  ): string => `mov.u32 %r2, 7; ${stores} bar.sync 0; @!%p1 ret; ld.shared.u32 %r3, [%r10];
    st.global.u32 [%rd1], %r3; ret;`;
  const four = { grid: 1, block: 4 };

  it('race harmlessly if they store one value, as in global memory', async () => {
    expect(await severities(shared('st.shared.u32 [%r10], %r2;'), four)).toEqual(both('note race'));
    expect(await severities(shared('st.shared.u16 [%r10], %r2; st.shared.u16 [%r10+2], %r2;'), four)).toEqual(
      both('note race'),
    );
  });

  it.each(
    [
      ['one of them stores another one', 'add.u32 %r4, %r1, 4; @%p1 mov.u32 %r2, 8; st.shared.u32 [%r10], %r2;'],
      ['one of them stores another one later', 'st.shared.u32 [%r10], %r2; @%p1 st.shared.u32 [%r10], %r1;'],
      ['they store a part of the word later', 'st.shared.u32 [%r10], %r2; @%p1 st.shared.u8 [%r10], %r1;'],
    ].filter((_, i) => (i === 0) !== inject('slow')),
  )('race if %s', async (_, stores) => {
    const { check, explore } = await severities(shared(stores), four);
    expect(check).toContain('error race');
    expect(explore).toContain('error race');
  });

  it('do not race with stores of one value to other bytes of the word', async () => {
    const stores = 'st.shared.u16 [%r10], %r2; @%p1 st.shared.u16 [%r10+2], %r1;';
    expect(await severities(shared(stores), four)).toEqual(both('note race'));
  });
});

describe('of a load and a store after a wait by volatile loads', () => {
  const overwrites = `W: ld.volatile.global.u32 %r2, [%rd1+64]; setp.ne.u32 %p2, %r2, 1; @%p2 bra W;
  fence.acq_rel.gpu; mov.u32 %r3, 10; st.global.u32 [%rd1+4], %r3; ret;`;
  const loads = 'ld.global.u32 %r5, [%rd1+4];';
  const keeps = 'st.global.u32 [%rd1+128], %r5; ret;';

  it.each(['relaxed', 'release'].filter((_, i) => (i === 0) !== inject('slow')))(
    'a load behind the %s flag that the wait sees is an error',
    async (order) => {
      const flag = `mov.u32 %r3, 1; st.${order}.gpu.global.u32 [%rd1+64], %r3;`;
      for (const pair of [threads, ctas])
        expect(await severities(`@%p1 bra A; ${overwrites} A: ${flag} ${loads} ${keeps}`, pair)).toEqual(
          both('error race'),
        );
    },
  );

  it.for(slow)('a load before the flag has ended on GPUs', async () => {
    const flag = 'mov.u32 %r3, 1; st.relaxed.gpu.global.u32 [%rd1+64], %r3;';
    for (const pair of [threads, ctas])
      expect(await severities(`@%p1 bra A; ${overwrites} A: ${loads} ${flag} ${keeps}`, pair)).toEqual(
        both('model race'),
      );
  });
});
