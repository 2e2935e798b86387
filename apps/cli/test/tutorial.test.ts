import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from './support/command.ts';
import { FreshFolder } from './support/fresh-folder.ts';

const timeout = 120_000;
const page = readFileSync(new URL('../../../docs/tutorial/first-kernel.md', import.meta.url), 'utf8');
const fresh = new FreshFolder('tutorial');

function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
}

function follow(command: string | undefined): { readonly code: number | null; readonly out: string } {
  const { code, stdout, stderr } = fresh.shell(command ?? 'exit 99');
  return { code, out: stdout.replaceAll(`${fresh.path}/`, '') + stderr };
}

beforeAll(() => {
  build();
  fresh.install({ 'nccl-ts': 'packages/nccl-ts' });
}, timeout);

afterAll(() => fresh.remove());

describe.skipIf(process.platform === 'win32')(
  'the tutorial, followed word for word in a fresh folder (a POSIX shell)',
  () => {
    test('gives the shown output, step by step', { timeout }, () => {
      const [installs, run, check, checkAgain, sum, webgpu, cuda, ...others] = blocks('sh').map((text) => text.trim());
      expect([installs, webgpu, cuda, others]).toEqual([
        'npm install nccl-ts',
        'npx nccl-ts run shift.mjs --backend webgpu',
        'npx nccl-ts run shift.mjs --backend cuda',
        [],
      ]);
      const [kernel = '', collective = ''] = blocks('js');
      const [results = '', report = ''] = blocks('text');

      fresh.write('shift.mjs', kernel);
      expect(follow(run).out).toContain(results);
      const clean = follow(check);
      expect(clean.out).toContain('\nclean: no findings');
      expect(clean.out).toContain('this holds for every schedule of this input');
      expect(clean.code).toBe(0);

      fresh.write('shift.mjs', kernel.replaceAll(/^.*(?:barrierSession|bar\.sync).*\n/gm, ''));
      const broken = follow(checkAgain);
      expect(broken.out).toContain(report);
      expect(broken.code).toBe(1);

      fresh.write('sum.mjs', collective);
      expect(follow(sum)).toEqual({ code: 0, out: '[ 10, 10, 10, 10 ]\n' });
    });
  },
);
