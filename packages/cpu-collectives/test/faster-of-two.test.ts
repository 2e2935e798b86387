import { expect, test } from 'vitest';

import { FasterOfTwo } from '../src/engine/faster-of-two.ts';

/**
 * Returns the choices when the engines take these times at first, the second time, and so on, and
 * which engine had each turn.
 */
function tried(
  usual: (turn: number) => number,
  other: (turn: number) => number,
  turns?: number,
): readonly [string, string] {
  let now = 0;
  let had = '';
  const trial = new FasterOfTwo('u', 'o', { time: () => now, ...(turns === undefined ? {} : { turns }) });
  for (let turn = 0; trial.found === undefined; turn++) {
    trial.turn((way) => {
      now += (way === 'u' ? usual : other)(turn >> 1);
      had += way;
    });
  }
  return [`${trial.found.faster} rather than ${trial.found.slower}`, had];
}

test('FasterOfTwo alternates between two variants, and finds the faster one', () => {
  expect(
    tried(
      () => 3,
      () => 2,
    ),
  ).toEqual(['o rather than u', 'uo'.repeat(12)]);
  const [found] = tried(
    () => 2,
    () => 3,
  );
  expect(found).toBe('u rather than o');
});

test('FasterOfTwo keeps the usual one if both take the same time', () => {
  const [found] = tried(
    () => 2,
    () => 2,
  );
  expect(found).toBe('u rather than o');
});

test('FasterOfTwo ignores a slow start and a few slow runs', () => {
  const [found] = tried(
    () => 3,
    (turn) => (turn < 6 || turn % 4 === 0 ? 100 : 2),
  );
  expect(found).toBe('o rather than u');
});

test('FasterOfTwo makes the requested number of runs, and counts the second half', () => {
  expect(
    tried(
      () => 3,
      (turn) => (turn < 2 ? 100 : 2),
      4,
    ),
  ).toEqual(['o rather than u', 'uo'.repeat(4)]);
});
