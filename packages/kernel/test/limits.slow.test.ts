import { describe, expect, it } from 'vitest';
import { lower, wrong } from './support/lower.ts';

describe('limits', () => {
  it('refuse programs that unroll without end', () => {
    expect(wrong('for (const a of unroll(4096)) for (const o of unroll(4096)) ;')[0]).toMatch(
      /^K1114 the work that this kernel unrolls to/,
    );
    expect(wrong('for (const a of unroll(4096)) for (const o of unroll(4096)) q[0] = 1;')[0]).toMatch(
      /^K1114 the program that this kernel unrolls to/,
    );
    const doubling = Array.from({ length: 40 }, (_, i) => `const g${i + 1} = () => { g${i}(); g${i}(); };`);
    expect(wrong(`const g0 = () => {}; ${doubling.join(' ')} g40();`)[0]).toMatch(/^K1114/);
  });

  it('allow early exits after early exits, up to a bound', () => {
    const exits = (count: number): string =>
      Array.from({ length: count }, (_, i) => `if (n === ${i}) return;`).join(' ') + ' q[0] = 1;';
    expect(lower(exits(500))).toContain('store q');
    for (const count of [501, 3000]) {
      expect(wrong(exits(count))[0]).toMatch(/^K1004 .*each early exit makes a branch/);
    }
    expect(wrong(`for (let i = 0; i < n; i++) { ${exits(600).replaceAll('return', 'continue')} }`)[0]).toMatch(
      /^K1004/,
    );
    expect(wrong(`const f = () => { ${exits(600)} }; f();`)[0]).toMatch(/^K1004/);
    // Each part alone is allowed, but not all of them nested.
    const inner = exits(300);
    expect(
      wrong(
        exits(300).replace('q[0] = 1;', `for (let i = 0; i < n; i++) { ${inner.replaceAll('return', 'continue')} }`),
      )[0],
    ).toMatch(/^K1004/);
  });
});
