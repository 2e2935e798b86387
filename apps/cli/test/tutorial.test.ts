import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, fixtures } from './support/command.ts';

const timeout = 120_000;
const page = readFileSync(new URL('../../../docs/tutorial/first-kernel.md', import.meta.url), 'utf8');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nccl-ts-tutorial-')));

function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
}

/** What `npm install nccl-ts` leaves in an empty folder, with links to this checkout. */
function install(): void {
  const modules = join(folder, 'node_modules');
  const facade = join(fixtures, '../../../../packages/nccl-ts');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(facade, join(modules, 'nccl-ts'));
  symlinkSync('../nccl-ts/bin/nccl-ts.js', join(modules, '.bin/nccl-ts'));
  chmodSync(join(facade, 'bin/nccl-ts.js'), 0o755);
  writeFileSync(join(folder, 'package.json'), '{ "dependencies": { "nccl-ts": "*" } }');
}

function follow(command: string | undefined): { readonly code: number | null; readonly out: string } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command ?? 'exit 99'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, npm_config_offline: 'true', npm_config_update_notifier: 'false' },
  });
  return { code: status, out: stdout.replaceAll(`${folder}/`, '') + stderr };
}

beforeAll(() => {
  build();
  install();
}, timeout);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')(
  'the tutorial, followed word for word in a fresh folder (a POSIX shell)',
  () => {
    test('comes to what it says, step by step', { timeout }, () => {
      const [installs, run, check, checkAgain, sum, webgpu, cuda, ...others] = blocks('sh').map((text) => text.trim());
      expect([installs, webgpu, cuda, others]).toEqual([
        'npm install nccl-ts',
        'npx nccl-ts run shift.mjs --backend webgpu',
        'npx nccl-ts run shift.mjs --backend cuda',
        [],
      ]);
      const [kernel = '', collective = ''] = blocks('js');
      const [results = '', report = ''] = blocks('text');

      writeFileSync(join(folder, 'shift.mjs'), kernel);
      expect(follow(run).out).toContain(results);
      const clean = follow(check);
      expect(clean.out).toContain('\nclean: no findings');
      expect(clean.out).toContain('this holds for every schedule of this input');
      expect(clean.code).toBe(0);

      writeFileSync(join(folder, 'shift.mjs'), kernel.replaceAll(/^.*(?:barrierSession|bar\.sync).*\n/gm, ''));
      const broken = follow(checkAgain);
      expect(broken.out).toContain(report);
      expect(broken.code).toBe(1);

      writeFileSync(join(folder, 'sum.mjs'), collective);
      expect(follow(sum)).toEqual({ code: 0, out: '[ 10, 10, 10, 10 ]\n' });
    });
  },
);
