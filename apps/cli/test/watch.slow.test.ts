import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, fixtures } from './support/command.ts';

const timeout = 240_000;

const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-watch-'));

const kernelFile = `import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { FIRST } from './numbers.ts';

export const writes = kernel(
  { name: 'writes', use: { lsa, FIRST }, params: { win: window } },
  ({ lsa, blockIdx, FIRST, u32 }, { win }) => {
    lsa.localPointer(win, u32, 0).store(FIRST * blockIdx.x, blockIdx.x);
  },
);
`;

function numbers(first: number): void {
  writeFileSync(join(folder, 'numbers.ts'), `export const FIRST: number = ${first};\n`);
}

beforeAll(() => {
  build();
  symlinkSync(join(fixtures, '../../node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(folder, 'writes.ts'), kernelFile);
  numbers(1);
}, timeout);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('check --watch checks a file again when it or one of its imports changes', { timeout }, async () => {
  const command = join(fixtures, '../../bin/nccl-ts.js');
  const words = ['check', 'writes.ts', '-n', '1', '-g', '2', '-b', '1', '--sequence', 'once', '--watch'];
  const child = spawn(process.execPath, [command, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const text = child.stdout.setEncoding('utf8');
  let printed = '';
  /** The output up to the next time that it waits for a change. */
  const untilItWatches = async (): Promise<string> => {
    for (;;) {
      const end = /^watching \d+ files?: .*\n/m.exec(printed);
      if (end !== null) {
        const until = end.index + end[0].length;
        const part = printed.slice(0, until);
        printed = printed.slice(until);
        return part;
      }
      const [chunk] = await once(text, 'data');
      printed += String(chunk);
    }
  };
  try {
    expect(await untilItWatches()).toMatch(/\n\nclean: /);
    numbers(0);
    expect(await untilItWatches()).toMatch(/^changed: numbers\.ts\n\n.*\n\nrace: /s);
    writeFileSync(
      join(folder, 'writes.ts'),
      kernelFile.replace('store(FIRST * blockIdx.x, blockIdx.x)', 'store(2 + blockIdx.x, blockIdx.x)'),
    );
    expect(await untilItWatches()).toMatch(/^changed: writes\.ts\n\n.*\n\nclean: /s);
    writeFileSync(join(folder, 'writes.ts'), 'export const broken = ;\n');
    expect(await untilItWatches()).toMatch(/^changed: writes\.ts\n\n/);
    writeFileSync(join(folder, 'writes.ts'), kernelFile);
    expect(await untilItWatches()).toMatch(/^changed: writes\.ts\n\n.*\n\nrace: /s);
  } finally {
    child.kill();
    await closed;
  }
});
