import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../src/root.mjs';
import { passedIn } from '../src/test-cache.mjs';
import { turboTasks, members } from '../src/turbo-tasks.mjs';
import { importsOf } from '../src/value-imports.mjs';

const member = (name: string, own: readonly string[], runtime = own) => ({
  name,
  folder: `packages/${name}`,
  own,
  runtime,
  hasTests: true,
});

describe('the tests of a workspace member run again', () => {
  const tasks = turboTasks([
    member('ir', []),
    member('kernel', ['ir']),
    member('sim', ['kernel', 'conformance'], ['kernel']),
    member('conformance', ['collectives']),
    member('collectives', ['kernel', 'sim'], ['kernel']),
    member('timeline', []),
  ]);

  test.each([
    ['ir', []],
    ['kernel', ['ir']],
    // Conformance needs collectives at run time, but only the tests of collectives need the
    // simulator.
    ['sim', ['collectives', 'conformance', 'ir', 'kernel']],
    ['timeline', []],
  ])('%s: tests run after a change to sources that they see, even through cycles', (name, seen) => {
    expect(tasks[`${name}#test`]).toMatchObject({ dependsOn: seen.map((one) => `${one}#sources`) });
  });
});

test('turbo.json matches the packages (npm run turbo-tasks writes it)', () => {
  const { tasks } = JSON.parse(readFileSync(join(root, 'turbo.json'), 'utf8'));
  expect(tasks).toEqual(turboTasks(members()));
});

test('a change to the drawing of timelines reruns the tests that draw them, and those of tools that read everything', () => {
  const tasks = Object.entries(turboTasks(members()));
  const see = (name: string): readonly string[] =>
    tasks.filter(([, task]) => JSON.stringify(task).includes(`"${name}#sources"`)).map(([task]) => task);
  // Nothing imports the compiler's settings.
  const readers = new Set(see('@nccl-ts/tsconfig'));
  expect(see('@nccl-ts/timeline').filter((task) => !readers.has(task))).toEqual([
    '@nccl-ts/bench#test',
    '@nccl-ts/cli#test',
    '@nccl-ts/machine-profile#test',
    'nccl-ts#test',
  ]);
});

test.each([
  [`import type { A } from '@nccl-ts/ir';`, 'types'],
  [`import type {\n  A,\n  B,\n} from '@nccl-ts/ir';`, 'types'],
  [`export type { A } from '@nccl-ts/ir/deep';`, 'types'],
  [`import { type A } from '@nccl-ts/ir';`, 'value'],
  [`export { a } from '@nccl-ts/ir';`, 'value'],
  [`import '@nccl-ts/ir';`, 'value'],
  [`const { a } = await import('@nccl-ts/ir');`, 'value'],
  [`import type { A } from '@nccl-ts/ir';\nimport { b } from '@nccl-ts/ir';`, 'value'],
  [`// of @nccl-ts/ir`, undefined],
])('the text %j has the imports %s', (text, how) => {
  const found = importsOf(text).filter(({ name }) => name === '@nccl-ts/ir');
  const isValue = found.some(({ isType }) => !isType);
  expect(found.length === 0 ? undefined : isValue ? 'value' : 'types').toBe(how);
});

test('a member has passed if none of its tests failed and every file was loaded', () => {
  const file = (name: string, status: string, statuses: readonly string[]) => ({
    name: join(root, name),
    status,
    assertionResults: statuses.map((one) => ({ status: one })),
  });
  const testResults = [
    file('packages/core/test/a.test.ts', 'passed', ['passed', 'skipped']),
    file('packages/core/test/b.test.ts', 'passed', ['passed']),
    file('packages/ir/test/a.test.ts', 'passed', ['passed']),
    file('packages/ir/test/b.test.ts', 'failed', []),
    file('packages/ir-more/test/b.test.ts', 'passed', ['passed']),
  ];
  const tested = ['core', 'ir', 'gin'].map((name) => ({ name, folder: `packages/${name}`, hash: '1' }));
  expect(passedIn({ testResults }, tested)).toEqual({ core: { hash: '1', passed: 2, skipped: 1 } });
});
