import { expect, test } from 'vitest';
import { relativePaths } from '../src/output/relative-paths.ts';

test('paths inside the current folder are relative to it, and others stay', () => {
  const text = ' --> /home/me/p/src/a.ts:4:3\n  at f (/home/me/p/b.ts:1:1), /home/me/p2/c.ts:1:1, /mnt/home/me/p/d.ts';
  expect(relativePaths(text, '/home/me/p')).toBe(
    ' --> src/a.ts:4:3\n  at f (b.ts:1:1), /home/me/p2/c.ts:1:1, /mnt/home/me/p/d.ts',
  );
  expect(relativePaths(' --> /a.ts:1:1', '/')).toBe(' --> /a.ts:1:1');
  expect(relativePaths(' --> /a+(b)/c.ts:1:1', '/a+(b)')).toBe(' --> c.ts:1:1');
});
