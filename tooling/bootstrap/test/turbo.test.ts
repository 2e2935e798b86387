import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../src/root.mjs';

/** The packages whose tests turbo runs after a change in a package. */
function testedAfter(changed: string): readonly string[] {
  const folder = dirname(createRequire(import.meta.url).resolve('turbo/package.json'));
  const args = ['run', 'test', `--filter=...${changed}`, '--dry=json', '--no-daemon'];
  const { stdout } = spawnSync(process.execPath, [join(folder, 'bin/turbo'), ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
    maxBuffer: 2 ** 28,
  });
  const { tasks }: { readonly tasks: readonly { readonly task: string; readonly package: string }[] } =
    JSON.parse(stdout);
  return tasks.filter(({ task }) => task === 'test').map((one) => one.package);
}

test('a change to the drawing of timelines reruns the tests that draw them, and those of tools that read everything', () => {
  const tested = testedAfter('@nccl-ts/timeline');
  expect(tested).toEqual(
    expect.arrayContaining(
      ['timeline', 'suite-timeline', 'cli', 'bench', 'fences', 'release'].map((name) => `@nccl-ts/${name}`),
    ),
  );
  for (const name of ['core', 'gin', 'kernel', 'memory-model', 'ptx', 'backend-sim', 'checker', 'collectives'])
    expect(tested).not.toContain(`@nccl-ts/${name}`);
});
