import { expect, it } from 'vitest';
import { reportJson } from '../src/run/run-report.ts';

it('run prints circular results of a host program', () => {
  const value: Record<string, unknown> = { words: Float32Array.of(1, 2, 3), big: 7n, twice: [1] };
  value['again'] = value['twice'];
  value['self'] = { inner: value };
  const shown: unknown = JSON.parse(reportJson({ results: [value] } as never, 2));
  expect(shown).toEqual({
    results: [
      {
        words: { length: 3, first: [1, 2] },
        big: '7',
        twice: [1],
        again: [1],
        self: { inner: '[circular]' },
      },
    ],
  });
});
