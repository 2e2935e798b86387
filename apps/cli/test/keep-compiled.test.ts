import * as nodeModule from 'node:module';
import { expect, test, vi } from 'vitest';
import { keepCompiled } from '../src/keep-compiled.ts';

test('compiled modules are kept where Node can keep them', () => {
  const enableCompileCache = vi.fn<() => void>();
  keepCompiled({ enableCompileCache });
  expect(enableCompileCache).toHaveBeenCalledOnce();
  expect(() => keepCompiled({})).not.toThrow();
  keepCompiled();
  const folder: unknown = Reflect.get(nodeModule, 'getCompileCacheDir');
  if (typeof folder === 'function') expect(Reflect.apply(folder, nodeModule, [])).toEqual(expect.any(String));
});
