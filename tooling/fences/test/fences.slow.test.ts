import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFences } from '../src/check-fences.ts';
import './fences.test.ts';

const root = join(import.meta.dirname, '../../..');

test('every code block of every README and of docs/ is valid', () => {
  const { programs, problems } = checkFences(root);
  expect(problems).toEqual([]);
  expect(programs.length).toBeGreaterThan(50);
});
