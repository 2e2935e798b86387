import { expect, test } from 'vitest';
import { backendFactory, backendNames, isBackendName } from '../src/backend.ts';

test('backends by name', () => {
  expect(backendNames).toEqual(['sim']);
  expect(isBackendName('sim')).toBe(true);
  for (const name of ['cuda', '', 'toString', '__proto__']) expect(isBackendName(name)).toBe(false);
  expect(backendFactory('sim')(2).name).toBe('sim');
});
