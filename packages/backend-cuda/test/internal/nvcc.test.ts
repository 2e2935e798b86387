import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nvccCompiler } from '../../src/jit/nvcc.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nccl-ts-nvcc-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function command(script: string): string {
  const path = join(root, 'nvcc');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const job = { text: '', output: 'ptx', arch: 'sm_90', includes: [] } as const;

describe('nvcc', () => {
  it('is stopped with its child processes after its time limit', async () => {
    const pipe = join(root, 'pid');
    const nvcc = command(`sleep 600 & echo $! > ${pipe}; wait`);
    const compiling = nvccCompiler(nvcc, 13000, 300).compile(job);
    await expect(compiling).rejects.toMatchObject({
      code: 'NCCL_TIMEOUT',
      message: expect.stringMatching(/compileTimeout/),
    });
    // The output of the command ends when its last program ends.
    expect(existsSync(pipe)).toBe(true);
  });

  it('reports its output if it fails', async () => {
    const failed = await nvccCompiler(command('echo wrong >&2; exit 2'), 13000).compile(job);
    expect(failed).toEqual({ ok: false, because: 'text', messages: 'wrong' });
    const made = await nvccCompiler(command('while [ "$1" != -o ]; do shift; done; printf abc > "$2"'), 13000).compile(
      job,
    );
    expect(made).toEqual({ ok: true, bytes: new TextEncoder().encode('abc') });
    await expect(nvccCompiler(join(root, 'none'), 13000).compile(job)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
