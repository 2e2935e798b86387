import { describe, expect, it } from 'vitest';
import { checkText, ctas } from './both-engines.ts';

/*
 * The help for waits that never end, though the awaited value was there.
 */

/** CTA 0 stores the values, one after the other, while CTA 1 waits. */
const stores = (values: readonly number[], ends: string): string => `@%p1 bra S;
  W: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.${ends}; @!%p2 bra W; ret;
  S: ${values.map((value) => `st.release.gpu.global.u32 [%rd1], ${value};`).join(' ')} ret;`;

/** The last CTA that arrives begins the next generation. The others wait for it. */
const barrier = (reads: 'before' | 'after'): string => {
  const read = 'ld.relaxed.gpu.global.u32 %r2, [%rd1];';
  return `${reads === 'before' ? read : ''}
  atom.add.acq_rel.gpu.global.u32 %r3, [%rd1+4], 1;
  ${reads === 'after' ? read : ''}
  setp.eq.u32 %p2, %r3, 1; @%p2 bra L;
  W: ld.acquire.gpu.global.u32 %r4, [%rd1]; setp.ne.u32 %p3, %r4, %r2; @!%p3 bra W; ret;
  L: add.u32 %r5, %r2, 1; st.release.gpu.global.u32 [%rd1], %r5; ret;`;
};

describe('the help for a wait that has missed its value', () => {
  it('of one value says that the next one replaced it', async () => {
    const text = await checkText(stores([1, 2], 'eq.u32 %p2, %r2, 1'), ctas);
    expect(text).toMatch(
      /help: it was 1, by .* but the waiting thread did not look before .* made it 2: wait for >= 1;/,
    );
  });

  it('of a least value says that the value has begun again', async () => {
    const text = await checkText(stores([255, 0], 'ge.u32 %p2, %r2, 255'), ctas);
    expect(text).toMatch(/help: it was 255, by .* made it 0: let the value only grow, or compare so/);
  });

  it('of a value that comes and goes says so too', async () => {
    const text = await checkText(stores([1, 0], 'eq.u32 %p2, %r2, 1'), ctas);
    expect(text).toMatch(/help: it was 1, by .* made it 0: wait for a value that only grows;/);
  });

  it('says nothing of the kind if the value was never there', async () => {
    const text = await checkText(stores([1, 2], 'eq.u32 %p2, %r2, 3'), ctas);
    expect(text).toContain('nobody is left to change it');
  });
});

describe('the help for a wait for a change', () => {
  it('names what was read after the arrival', async () => {
    const text = await checkText(barrier('after'), ctas);
    expect(text).toMatch(/help: it waits for a change of the 1 that it had read at .* before the atomic at /);
  });

  it('is not needed if the read comes first', async () => {
    expect(await checkText(barrier('before'), ctas)).toMatch(/^clean/);
  });
});
