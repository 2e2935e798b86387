import { shrink, type Finding, type ShrinkInput, type Shrunk } from '@nccl-ts/findings';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { place, race, store, label } from './sample.ts';
import { samples } from './samples.ts';

const large: ShrinkInput = {
  ranks: 8,
  grid: 16,
  block: 512,
  counts: { count: 4096, rounds: 10 },
  choices: [0, 3, 0, 1, 2],
};

interface Trial {
  readonly shrunk: Shrunk | undefined;
  readonly tried: readonly ShrinkInput[];
}

/** Shrinks `large` for a program that has a race if `shows` returns true. */
async function trial(
  shows: (input: ShrinkInput) => boolean,
  runs?: number,
  start: ShrinkInput = large,
): Promise<Trial> {
  const tried: ShrinkInput[] = [];
  const shrunk = await shrink(
    start,
    race(0, 0),
    async (input) => {
      tried.push(input);
      return shows(input) ? [samples.leftover, race(input.ranks - 1, input.block - 1)] : [samples.leftover];
    },
    runs === undefined ? {} : { runs },
  );
  return { shrunk, tried };
}

describe('shrinking', () => {
  it('reduces everything to 1 without a constraint', async () => {
    const { shrunk } = await trial(() => true);
    expect(shrunk?.input).toEqual({ ranks: 1, grid: 1, block: 1, counts: { count: 1, rounds: 1 }, choices: [] });
    expect(shrunk?.smallest).toBe(true);
    expect(shrunk?.finding).toEqual(race(0, 0));
    expect(shrunk?.runs).toBeLessThan(10);
  });

  it('finds the smallest value of each size, and counts its runs', async () => {
    const { shrunk, tried } = await trial(
      ({ ranks, grid, block, counts, choices }) =>
        ranks >= 3 && grid >= 2 && block >= 33 && (counts['count'] ?? 0) >= 100 && choices?.[3] === 1,
    );
    expect(shrunk?.input).toEqual({
      ranks: 3,
      grid: 2,
      block: 33,
      counts: { count: 100, rounds: 1 },
      choices: [0, 0, 0, 1],
    });
    expect(shrunk?.runs).toBe(tried.length);
    expect(shrunk?.smallest).toBe(true);
  });

  it('repeats while one reduction enables another', async () => {
    // The race needs as many elements as threads, and twice as many threads as ranks.
    const { shrunk } = await trial(
      ({ ranks, block, counts }) => ranks >= 2 && block >= Math.min(2 * ranks, counts['count'] ?? 0) && block >= 2,
    );
    expect(shrunk?.input).toMatchObject({ ranks: 2, grid: 1, block: 2, counts: { count: 1 } });
  });

  it('prefers fewer ranks to fewer threads', async () => {
    const { shrunk } = await trial(({ ranks, block }) => ranks + block >= 100);
    expect(shrunk?.input).toMatchObject({ ranks: 1, block: 99 });
  });

  it('never runs an input twice, and is deterministic', async () => {
    const shows = ({ ranks, grid }: ShrinkInput): boolean => ranks * grid >= 7;
    const [first, second] = [await trial(shows), await trial(shows)];
    expect(second).toEqual(first);
    expect(new Set(first.tried.map((input) => JSON.stringify(input))).size).toBe(first.tried.length);
  });

  it('stops at the limit of runs, with its best input', async () => {
    const { shrunk, tried } = await trial(({ ranks }) => ranks >= 3, 4);
    expect(tried).toHaveLength(4);
    expect(shrunk).toMatchObject({ runs: 4, smallest: false });
    expect(shrunk?.input.ranks).toBeLessThan(8);
  });

  it('respects the given minimum', async () => {
    const shrunk = await shrink(large, race(0, 0), async () => [race(0, 0)], { least: { ranks: 2, count: 32 } });
    expect(shrunk?.input).toMatchObject({ ranks: 2, grid: 1, counts: { count: 32, rounds: 1 } });
  });

  it('rejects other findings, and accepts the same finding with other sizes', async () => {
    const elsewhere: Finding = race(0, 0, { labels: [label('load', place(store)), label('store', place(store))] });
    const found = async (input: ShrinkInput): Promise<readonly Finding[]> => [
      input.ranks >= 4 ? race(0, 0, { message: `${input.ranks} ranks` }) : elsewhere,
    ];
    expect((await shrink(large, race(0, 0), found))?.input.ranks).toBe(4);
    expect(await shrink(large, samples.deadlock, found)).toBeUndefined();
  });

  it('ends at an input in which no single number can be reduced', async () => {
    const size = fc.integer({ min: 1, max: 40 });
    const input = fc.record({ ranks: size, grid: size, block: size, count: size });
    await fc.assert(
      fc.asyncProperty(input, fc.array(input, { minLength: 1, maxLength: 4 }), async (start, bugs) => {
        // A bug appears from some corner of the input space on. Several bugs make a border with
        // steps.
        const shows = ({ ranks, grid, block, counts: { count = 0 } }: ShrinkInput): boolean =>
          bugs.some((bug) => ranks >= bug.ranks && grid >= bug.grid && block >= bug.block && count >= bug.count);
        const { count, ...sizes } = start;
        const { shrunk } = await trial(shows, undefined, { ...sizes, counts: { count } });
        expect(shrunk === undefined).toBe(!shows({ ...sizes, counts: { count } }));
        if (shrunk === undefined) return;
        const { input: least } = shrunk;
        expect(shows(least)).toBe(true);
        for (const name of ['ranks', 'grid', 'block'] as const) {
          if (least[name] > 1) expect(shows({ ...least, [name]: least[name] - 1 })).toBe(false);
        }
        const elements = least.counts['count'] ?? 0;
        if (elements > 1) expect(shows({ ...least, counts: { count: elements - 1 } })).toBe(false);
      }),
      { seed: 20 },
    );
  });
});
