import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { inTurn } from '../src/in-turn.ts';
import { excessOf } from '../src/install-figures.ts';
import { renderTable } from '../src/render-table.ts';
import { requireForm } from '../src/require-form.ts';
import type { Trial, TrialName } from '../src/try-package.ts';

test('a program is converted to one that requires its imports', () => {
  const module = `import first, { second as own, third } from 'a';
import * as all from '@b/c';
import 'd';

const { x } = all; // import { y } from 'z'
export const made = await own(first, third, x);
export default made;
export { made as other };
`;
  const form = requireForm(module);
  expect(form).toContain(
    `const first = require("a").default; const { "second": own } = require("a"); const { "third": third } = require("a");`,
  );
  expect(form).toContain('const all = require("@b/c");');
  expect(form).toContain('require("d");');
  expect(form).toContain("// import { y } from 'z'\nconst made = await own(first, third, x);");
  expect(form).toContain('void (made);');
  expect(() => new Script(form)).not.toThrow();
});

test('the table has a row for each package and each command, with its errors', () => {
  const trials = new Map<TrialName, Trial>([
    ['install', { ok: true }],
    ['require', { ok: false, problem: 'ERR_REQUIRE_ASYNC_MODULE' }],
    ['program', { ok: undefined, because: 'it needs a GPU' }],
  ]);
  const project = { folder: 'lsa', modules: [], commonModules: [] };
  const types = {
    combinations: 15,
    problems: [
      { where: '5.7.3 node16', folder: 'lsa', message: 'lsa/alone.ts(1,1): error' },
      { where: '5.7.3 node16', folder: 'lsa', message: 'lsa/first.ts(1,1): error' },
      { where: '7.0.2 bundler', folder: '', message: 'no such file' },
    ],
  };
  const commands = [{ command: 'npx nccl-ts', trial: { ok: true } as const }];
  const { table, problems } = renderTable([{ name: '@nccl-ts/lsa', trials, project }], commands, types);
  expect(`\n${table}\n`).toMatchInlineSnapshot(`
    "
    package       files  install  import  require  command  program  as require  types
    @nccl-ts/lsa         ok               FAILED            (1)                  14/15

    ok      npx nccl-ts

    (1) not tried: it needs a GPU
    "
  `);
  expect(problems).toEqual([
    '@nccl-ts/lsa: require\nERR_REQUIRE_ASYNC_MODULE',
    '@nccl-ts/lsa: types by TypeScript 5.7.3 node16\nlsa/alone.ts(1,1): error',
    '@nccl-ts/lsa: types by TypeScript 5.7.3 node16\nlsa/first.ts(1,1): error',
    'types by TypeScript 7.0.2 bundler\nno such file',
  ]);
});

test('work runs in parallel lanes, and results stay in order', async () => {
  let busy = 0;
  let most = 0;
  const results = await inTurn(2, [3, 1, 2], async (value) => {
    busy += 1;
    most = Math.max(most, busy);
    for (let i = 0; i < value; i++) await Promise.resolve();
    busy -= 1;
    return value * 10;
  });
  expect(results).toEqual([30, 10, 20]);
  expect(most).toBe(2);
});

test('an installation that has grown past its limits is a problem', () => {
  const importSeconds = { median: 9, least: 9, most: 9 };
  const figures = { packages: 48, files: 800, megabytes: 14, modules: 40, importSeconds };
  expect(excessOf(figures)).toEqual([]);
  expect(excessOf({ ...figures, files: 801, modules: 925 })).toEqual([
    'an installation has 801 files, and may have 800',
    'an installation has 925 modules, and may have 40',
  ]);
});
