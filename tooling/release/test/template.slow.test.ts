import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createProject } from 'create-nccl-ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const installed = join(import.meta.dirname, '../node_modules');
const root = join(import.meta.dirname, '../../..');
let folder = '';

/**
 * The project that `npm create nccl-ts` creates, with the packages of this repository instead of
 * installed ones.
 */
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'nccl-ts-template-')));
  await createProject(folder);
  symlinkSync(installed, join(folder, 'node_modules'), 'junction');
  // vitest lets Node load installed packages, but these are links to folders of sources.
  const external = '[/\\/packages\\/[^/]+\\/dist\\//]';
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { server: { deps: { external: ${external} } } } };\n`,
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function node(...words: readonly string[]): { readonly status: number | null; readonly output: string } {
  // As in a user's shell, without the variables that the running vitest sets.
  const { VITEST: _, NODE_OPTIONS: __, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', env });
  return { status, output: `${stdout}${stderr}` };
}

describe('the project of npm create nccl-ts', () => {
  it('has types that compile under strict', () => {
    expect(node(join(root, 'node_modules/typescript/bin/tsc'))).toEqual({ status: 0, output: '' });
  });

  it('has a test that passes, and fails if the kernel has a race', () => {
    const vitest = join(installed, 'vitest/vitest.mjs');
    expect(node(vitest, 'run')).toMatchObject({ status: 0, output: expect.stringContaining('1 passed') });

    const kernel = join(folder, 'src/kernel.ts');
    const text = readFileSync(kernel, 'utf8');
    writeFileSync(kernel, text.replace("'release'", "'relaxed'"));
    const broken = node(vitest, 'run');
    writeFileSync(kernel, text);
    expect(broken).toMatchObject({ status: 1, output: expect.stringContaining('error[race]') });
  });

  it('has commands for agents that exist and run', () => {
    const notes = readFileSync(join(folder, 'AGENTS.md'), 'utf8');
    const blocks = [...notes.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, text = '']) => text.trim().split('\n'));
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const scripts = Object(Reflect.get(Object(manifest), 'scripts'));
    const kinds = blocks.map((line) => {
      const [, script] = /^npm (?:run )?(\w+)$/.exec(line) ?? [];
      if (script !== undefined) expect(scripts).toHaveProperty(script);
      else {
        const [, words = ''] = /^npx nccl-ts (.*)$/.exec(line) ?? [];
        const ran = node(join(installed, 'nccl-ts/bin/nccl-ts.js'), ...words.split(' '));
        expect({ line, ...ran }).toMatchObject({ status: 0, output: expect.stringMatching(/\S/) });
      }
      return script === undefined ? 'command' : 'script';
    });
    expect(kinds).toEqual(expect.arrayContaining(['script', 'command']));
    // Codes in the prose exist too.
    for (const [, code = ''] of notes.matchAll(/`(K\d+|NCCLTS_\w+|race\/\w+)`/g)) {
      expect(node(join(installed, 'nccl-ts/bin/nccl-ts.js'), 'explain', code)).toMatchObject({ status: 0 });
    }
  });

  it("checks its kernel with its workflow's command, and writes a report for the code host", () => {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const script = String(Reflect.get(Object(Reflect.get(Object(manifest), 'scripts')), 'check'));
    const workflow = readFileSync(join(folder, '.github/workflows/check.yml'), 'utf8');
    const [, more = ''] = /npm run check -- (.*)$/m.exec(workflow) ?? [];
    expect(workflow).toContain(`sarif_file: ${more.split(' ')[1]}`);
    const [command, ...words] = [...script.split(' '), ...more.split(' ')];
    expect(command).toBe('nccl-ts');
    expect(node(join(installed, 'nccl-ts/bin/nccl-ts.js'), ...words)).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(join(folder, 'check.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
  });
});
