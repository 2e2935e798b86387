import { describe, expect, it } from 'vitest';
import { Shadow } from '../../src/watch/shadow.ts';
import { WordHistory, wordKey, type IsBefore } from '../../src/watch/word-history.ts';

const shadow = new Shadow();
const bytes = { shadow, address: 0, bytes: 4 };
const key = wordKey(shadow, 0);
const access = (who: number, stamp: number): { who: number; stamp: number; site: number } => ({ who, stamp, site: 1 });

/** A history of one word, in which the threads wrote before each barrier, and read after it. */
function withRows(threads: number, rows: number): WordHistory {
  const history = new WordHistory({ words: new Set([key]), valueOf: () => 7 }, () => 0);
  for (let row = 0; row < rows; row++) {
    const isEarlier =
      (last: number): IsBefore =>
      ({ stamp }) =>
        stamp < last;
    for (let who = 0; who < threads; who++) history.add(access(who, 2 * row), bytes, true, isEarlier(2 * row));
    for (let who = 0; who < threads; who++) history.add(access(who, 2 * row + 1), bytes, false, isEarlier(2 * row + 1));
  }
  return history;
}

describe('the history of a word that many threads write and read', () => {
  it('has the writes of the last row as the sources of its reads', () => {
    const history = withRows(3, 2);
    const sources = [...(history.find(key, access(2, 3))?.sources ?? [])];
    expect(sources.map(({ who, stamp }) => [who, stamp])).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ]);
    expect(history.visible(key, 0xf, () => true)?.map(({ stamp }) => stamp)).toEqual([2, 2, 2]);
  });

  it('keeps sources once for all threads that have the same', () => {
    const history = withRows(8, 2);
    const of = (who: number, stamp: number): unknown => history.find(key, access(who, stamp))?.sources;
    expect(of(7, 3)).toBe(of(0, 3));
    expect(of(7, 2)).toBe(of(0, 2));
    expect(of(7, 3)).not.toBe(of(7, 1));
  });
});
