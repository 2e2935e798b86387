import { afterAll, expect, test } from 'vitest';
import { plainJs } from '../src/plain-js.ts';

const js = await plainJs();
afterAll(js.close);

// The workers compare every sum themselves for small sizes, and the call throws where one is wrong.
test.each([
  [2, false],
  [4, true],
  [8, false],
])('an AllReduce of %d ranks in plain JavaScript, in place: %s', async (ranks, inPlace) => {
  const us = await js.allReduce({ ranks, bytes: 16384, inPlace, rounds: 2 });
  expect(us).toHaveLength(2);
  for (const one of us) expect(one).toBeGreaterThan(0);
});

test('the plain JavaScript peer refuses unsupported measurements', async () => {
  for (const wrong of [{ ranks: 3 }, { bytes: 1000 }, { rounds: 256 }])
    await expect(js.allReduce({ ranks: 2, bytes: 1024, inPlace: true, rounds: 1, ...wrong })).rejects.toThrow(
      expect.objectContaining({ code: 'NCCL_INVALID_ARGUMENT' }),
    );
});

test('the plain JavaScript peer measures a barrier, in nanoseconds', async () => {
  expect(await js.barrier()).toBeGreaterThan(1);
});
