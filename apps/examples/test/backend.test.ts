import { expect, test } from 'vitest';
import { backendFactory, backendNames, isBackendName } from '../src/backend.ts';

test('backends are selected by name', () => {
  expect(backendNames).toEqual(['sim', 'webgpu', 'cuda']);
  expect(isBackendName('sim')).toBe(true);
  for (const name of ['metal', '', 'toString', '__proto__']) expect(isBackendName(name)).toBe(false);
  for (const name of ['sim', 'webgpu', 'cuda'] as const) expect(backendFactory(name)(2).name).toBe(name);
});
