import { describe, expect, it } from 'vitest';
import { ctas, reports } from './both-engines.ts';

/** One CTA stores words, and the other waits until none of them is 0. */
const waitFor = (words: number): string => {
  const all = Array.from({ length: words }, (_, i) => i);
  const stores = all.map((i) => `st.relaxed.gpu.global.u32 [%rd1+${4 * i}], ${7 + i};`);
  const loads = all.map((i) => `ld.relaxed.gpu.global.u32 %r${20 + i}, [%rd1+${4 * i}];`);
  const tests = all.map((i) => `setp.eq.u32 %p${2 + i}, %r${20 + i}, 0;`);
  const joins = all.slice(1).map((i) => `or.pred %p2, %p2, %p${2 + i};`);
  const results = all.map((i) => `st.global.u32 [%rd1+${128 + 4 * i}], %r${20 + i};`);
  return `@%p1 bra WAIT; ${stores.join(' ')} bra END;
  WAIT: ${loads.join(' ')} ${tests.join(' ')} ${joins.join(' ')} @%p2 bra WAIT; ${results.join(' ')}
  END: ret;`;
};

describe('a wait for several words', () => {
  it.each([2, 4])('is proven by one run, although the compiler joins its exits by or: %i words', async (words) => {
    const { check } = await reports(waitFor(words), ctas);
    expect([check?.verdict, check?.proves]).toEqual([
      'clean',
      expect.objectContaining({ kind: 'all schedules', count: 1 }),
    ]);
  });
});
