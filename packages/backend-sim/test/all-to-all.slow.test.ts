import { describe, expect, it } from 'vitest';
import { block, run, type Run } from './support/all-to-all.ts';

function expected({ ranks, grid, epochs }: Run): readonly number[] {
  return Array.from({ length: grid * block }, (_, at) => {
    let sum = 0;
    for (let epoch = 0; epoch < epochs; epoch++) {
      for (let from = 0; from < ranks; from++) {
        sum = (Math.imul(sum, 3) + from * 100 + epoch * 10 + Math.trunc(at / block)) >>> 0;
      }
    }
    return sum;
  });
}

describe('an all-to-all exchange on the simulator', () => {
  it('receives the sent values in every order of CTAs', async () => {
    for (const ranks of [2, 4, 8]) {
      for (let seed = 1; seed <= 5; seed++) {
        const of: Run = { ranks, seed, grid: 2, epochs: 5 };
        // oxlint-disable-next-line no-await-in-loop
        for (const sums of await run(of)) expect(sums).toEqual(expected(of));
      }
    }
  });
});
