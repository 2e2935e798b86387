import { describe, expect, inject, it } from 'vitest';

import { both, severities } from './both-engines.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const one = { grid: 1, block: 1 };

describe('a load', () => {
  it.each(
    [
      ['of a word of which one half was stored', 'st.shared.u16 [%r10+2], %r2; ld.shared.u32 %r3, [%r10];'],
      ['of the other half', 'st.shared.u16 [%r10+2], %r2; ld.shared.u16 %r3, [%r10];'],
      ['of two words of which one byte was never stored', storesOf(0, 7, 'ld.shared.u64 %rd3, [%r10];')],
      [
        'of a half whose bytes were stored and overwritten, but for one',
        'st.shared.u8 [%r10], %r2; st.shared.u8 [%r10], %r2; ld.shared.u16 %r3, [%r10];',
      ],
    ].filter((_, i) => (i % 2 === 0) !== inject('slow')),
  )('%s is uninitialised', async (_, body) => {
    expect(await severities(`mov.u32 %r2, 5; ${body} ret;`, one)).toEqual(both('error uninitialised'));
  });

  it.each(
    [
      [
        'of a word that was stored by halves',
        'st.shared.u16 [%r10+2], %r2; st.shared.u16 [%r10], %r2; ld.shared.u32 %r3, [%r10];',
      ],
      ['of two words that were stored by bytes', storesOf(0, 8, 'ld.shared.u64 %rd3, [%r10];')],
      ['of the stored half', 'st.shared.u16 [%r10+2], %r2; ld.shared.u16 %r3, [%r10+2];'],
      [
        'of a byte of a stored word',
        'st.shared.u32 [%r10], %r2; st.shared.u8 [%r10+1], %r2; ld.shared.u32 %r3, [%r10];',
      ],
    ].filter((_, i) => (i % 2 === 0) !== inject('slow')),
  )('%s has all its bytes', async (_, body) => {
    expect(await severities(`mov.u32 %r2, 5; ${body} ret;`, one)).toEqual(both(''));
  });

  it.for(slow)('of a word whose bytes several lanes have stored, all but one, is uninitialised', async () => {
    const body = (bytes: number): string => `mov.u32 %r2, 5; and.b32 %r3, %r1, 3; setp.ge.u32 %p2, %r3, ${bytes};
      add.u32 %r4, %r10, %r3; @!%p2 st.shared.u8 [%r4], %r2; bar.sync 0; @!%p1 ret; ld.shared.u32 %r5, [%r10]; ret;`;
    const lanes = { grid: 1, block: 8 };
    expect(await severities(body(3), lanes)).toEqual(both('error uninitialised, note race'));
    expect(await severities(body(4), lanes)).toEqual(both('note race'));
  });
});

/** Stores of bytes of shared memory, one by one, and then `load`. */
function storesOf(first: number, end: number, load: string): string {
  const stores = Array.from({ length: end - first }, (_, i) => `st.shared.u8 [%r10+${first + i}], %r2;`);
  return [...stores, load].join(' ');
}
