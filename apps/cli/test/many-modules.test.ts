import Module from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModule } from '../src/module/load-module.ts';

const resolver = (): unknown => Reflect.get(Module, '_resolveFilename');

test('a process that loads many modules registers TypeScript once, because each registration would double the time of imports', async () => {
  const file = join(import.meta.dirname, 'fixtures', 'host.ts');
  await loadModule(file, {});
  const first = resolver();
  await loadModule(file, {});
  expect(resolver()).toBe(first);
});
