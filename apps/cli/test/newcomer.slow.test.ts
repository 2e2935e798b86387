import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, fixtures, served, type Outcome } from './support/command.ts';
import { FreshFolder } from './support/fresh-folder.ts';

const timeout = 240_000;

const page = readFileSync(new URL('../../../docs/how-to/check-a-cuda-kernel.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n([^]*?)^```/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
const commands = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trim().split('\n'));

const fresh = new FreshFolder('newcomer');
const folder = fresh.path;
const compiled = join(fixtures, 'newcomer');

function block(language: string): string {
  const found = blocks.find((one) => one.language === language);
  if (found === undefined) throw new Error(`the page has no block of ${language}`);
  return found.text;
}

/**
 * Returns nvcc of the environment, or one with prepared results for the two kernels of the page.
 */
function installCompiler(): void {
  const at = join(folder, 'bin');
  mkdirSync(at);
  const { NCCLTS_NVCC: real } = process.env;
  if (real !== undefined) {
    // nvcc finds its own files relative to its path.
    writeFileSync(join(at, 'nvcc'), `#!/bin/sh\nexec '${real}' "$@"\n`);
    chmodSync(join(at, 'nvcc'), 0o755);
    return;
  }
  for (const name of ['all-reduce.cu', 'all-reduce.ptx', 'released.ptx'])
    copyFileSync(join(compiled, name), join(at, name));
  writeFileSync(join(at, 'released.cu'), released(block('cuda')));
  writeFileSync(
    join(at, 'nvcc'),
    `#!/bin/sh
for last; do :; done
while [ "$1" != -o ]; do shift; done
for known in all-reduce released; do
  if cmp -s "$last" "${at}/$known.cu"; then exec cp "${at}/$known.ptx" "$2"; fi
done
echo "this compiler does not know $last" >&2
exit 1
`,
  );
  chmodSync(join(at, 'nvcc'), 0o755);
}

function released(text: string): string {
  return text.replace('st.relaxed.sys', 'st.release.sys');
}

beforeAll(() => {
  build();
  fresh.install({ '@nccl-ts/cli': 'apps/cli', '@nccl-ts/harness': 'packages/harness' });
  installCompiler();
}, timeout);

afterAll(() => fresh.remove());

// The page's commands are for a POSIX shell, and nvcc is installed for Linux.
describe.skipIf(process.platform === 'win32')('the page for newcomers, in a fresh folder (a POSIX shell)', () => {
  test('has the kernel from which the fixture was compiled', () => {
    expect(block('cuda')).toBe(readFileSync(join(compiled, 'all-reduce.cu'), 'utf8'));
  });

  test('prints the output that the page shows, command by command', { timeout }, async () => {
    const [list, listWithFlags, first, run, check, compile, checkPtx, ...others] = commands;
    expect(others).toEqual([]);
    // npx starts this file, but takes longer to find it than the command runs. So this starts the
    // first.
    // Lines that need no shell share a process, which takes less time than one for each.
    const follow = async (command = 'exit 99'): Promise<Outcome> => {
      const [, words] = /^npx nccl-ts ([\w./,:= -]+)$/.exec(command) ?? [];
      const isFirst = command === list || command === first;
      return words === undefined || isFirst || process.env['NCCLTS_NVCC'] !== undefined
        ? fresh.shell(command === list ? command : command.replace(/^npx (?=nccl-ts )/, 'node_modules/.bin/'))
        : served(words.split(' '), folder, { PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) });
    };

    writeFileSync(join(folder, 'all-reduce.cu'), block('cuda'));
    for (const command of [list, listWithFlags]) {
      const listed = await follow(command);
      expect(listed).toMatchObject({ code: 0, stderr: '' });
      expect(listed.stdout).toMatch(/^allReduce\(/);
      expect(listed.stdout).toContain('byte 0, a struct of 128 bytes');
    }
    expect(await follow(first)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(folder, 'launch.ts'), 'utf8')).toMatch(/entry: '.*allReduce/);

    writeFileSync(join(folder, 'launch.ts'), block('ts'));
    const ran = await follow(run);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^allReduce on 2 ranks: done/);

    const found = await follow(check);
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/^error\[race\]/m);
    expect(found.stdout).toContain('mine[i] = rank + i;');
    expect(found.stdout).toContain('sum += peers.data[r][i];');
    expect(found.stdout).toMatch(/bytes: .* of 'data', rank \d's copy/);
    expect(found.stdout).toContain('that write must release earlier accesses');

    const [accept] = /--accept all-reduce\.cu:\d+:race/.exec(page) ?? [];
    expect(await follow(`${check} ${accept}`)).toMatchObject({ code: 0 });

    writeFileSync(join(folder, 'all-reduce.cu'), released(block('cuda')));
    const mended = await follow(check);
    expect(mended.stdout).toMatch(/\n\nclean: /);
    expect(mended.code).toBe(0);

    expect(await follow(compile)).toMatchObject({ code: 0 });
    expect((await follow(checkPtx)).stdout).toMatch(/\n\nclean: /);
  });
});
