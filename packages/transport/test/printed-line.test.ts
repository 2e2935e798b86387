import { describe, expect, it } from 'vitest';
import { printedLine } from '@nccl-ts/transport';

describe('printedLine', () => {
  it('begins with the thread, followed by the parts', () => {
    const by = { rank: 2, blockIdx: { x: 3, y: 0, z: 0 }, thread: 31 };
    expect(printedLine(by, ['n is', 5, -0, 0.1, 2n ** 63n, true, Number.NaN, -Infinity])).toBe(
      '[rank 2 cta 3 thread 31] n is 5 0 0.1 9223372036854775808 true NaN -Infinity',
    );
  });

  it("has all dimensions of a CTA's index if there are several", () => {
    const at = (x: number, y: number, z: number): string =>
      printedLine({ rank: 0, blockIdx: { x, y, z }, thread: 0 }, []);
    expect([at(1, 0, 0), at(0, 2, 0), at(0, 0, 3)]).toEqual([
      '[rank 0 cta 1 thread 0] ',
      '[rank 0 cta (0, 2, 0) thread 0] ',
      '[rank 0 cta (0, 0, 3) thread 0] ',
    ]);
  });
});
