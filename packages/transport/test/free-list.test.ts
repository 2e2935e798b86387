import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FreeList } from '@nccl-ts/transport';

const PAGE = 16;
const PAGES = 24;

/** Models the list with one boolean for each page: true if the page is in use. */
class Model {
  readonly pages: boolean[] = Array.from({ length: PAGES }, () => false);

  take(size: number): number | undefined {
    const count = Math.max(1, Math.ceil(size / PAGE));
    for (let first = 0; first + count <= PAGES; first++) {
      if (this.pages.slice(first, first + count).some(Boolean)) continue;
      this.pages.fill(true, first, first + count);
      return first * PAGE;
    }
    return undefined;
  }

  give(start: number, size: number): void {
    this.pages.fill(false, start / PAGE, start / PAGE + Math.max(1, Math.ceil(size / PAGE)));
  }

  get largest(): number {
    let most = 0;
    let run = 0;
    for (const used of this.pages) {
      run = used ? 0 : run + 1;
      most = Math.max(most, run);
    }
    return most * PAGE;
  }
}

describe('FreeList', () => {
  it('allocates the same ranges as a table of pages', () => {
    const step = fc.oneof(
      fc.record({ take: fc.nat(8 * PAGE) }),
      fc.record({ give: fc.nat(PAGES) }),
      fc.record({ give: fc.nat(PAGES) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const base = 1024;
        const list = new FreeList(base, base + PAGES * PAGE, PAGE);
        const model = new Model();
        const live: { readonly start: number; readonly size: number }[] = [];
        for (const one of steps) {
          if ('take' in one) {
            const start = list.take(one.take);
            const expected = model.take(one.take);
            expect(start).toBe(expected === undefined ? undefined : base + expected);
            if (start !== undefined) live.push({ start, size: one.take });
          } else {
            const [piece] = live.splice(one.give % Math.max(1, live.length), 1);
            if (piece === undefined) continue;
            list.give(piece.start, piece.size);
            model.give(piece.start - base, piece.size);
          }
          expect(list.largest).toBe(model.largest);
        }
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  it('allocates nothing if its range is empty', () => {
    const list = new FreeList(64, 64, 16);
    expect(list.take(1)).toBeUndefined();
    expect(list.largest).toBe(0);
  });
});
