import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { provenance } from '../../src/provenance.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const script = (name: string): string => join(root, 'apps/bench/gpu-machine', name);

/** Runs a script; `exit` is its exit code. */
function bash(path: string, ...args: readonly string[]): { readonly exit: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync('bash', [path, ...args], { encoding: 'utf8' });
  return { exit: status, stderr };
}

describe('the runner for a machine without Node', () => {
  it('prints its usage, and unknown programs', () => {
    const usage = bash(script('pack.sh'));
    expect(usage.exit).toBe(2);
    expect(usage.stderr).toContain('bash apps/bench/gpu-machine/pack.sh [--webgpu] PROGRAM ...');
    const unknown = bash(script('pack.sh'), 'nothing');
    expect(unknown.exit).toBe(2);
    expect(unknown.stderr).toContain('there is no apps/bench/src/gpu/nothing.ts');
    const packed = bash(script('run.sh'), 'nothing');
    expect(packed.exit).toBe(2);
    expect(packed.stderr).toContain('nothing is not packed: bash apps/bench/gpu-machine/pack.sh nothing');
  });

  it('exists for each program that names it', () => {
    const folder = join(root, 'apps/bench/src/gpu');
    const named = readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/bash \.gpu\/run\.sh ([\w-]+)/g)].map((match) => match[1]),
    );
    expect(named).toContain('bench');
    for (const name of named) expect(readdirSync(folder)).toContain(`${name}.ts`);
  });

  it('passes the commit and command to the program, whose results contain them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-run-'));
    try {
      writeFileSync(join(folder, 'run.sh'), readFileSync(script('run.sh')));
      writeFileSync(join(folder, 'commit'), '0123abc\n');
      writeFileSync(join(folder, 'node.version'), `test-${process.pid}\n`);
      writeFileSync(
        join(folder, 'say.mjs'),
        'console.error(process.env.NCCLTS_COMMIT, "|", process.env.NCCLTS_COMMAND)',
      );
      // The Node of this machine stands in for the packed one.
      writeFileSync(join(folder, 'python3'), `#!/bin/sh\n[ "$#" -lt 4 ] || ln -sf "${process.execPath}" "$4"\n`, {
        mode: 0o755,
      });
      const { stderr, status } = spawnSync('bash', [join(folder, 'run.sh'), 'say', '--rounds', '9'], {
        encoding: 'utf8',
        env: { ...process.env, TMPDIR: folder, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
      });
      expect(stderr.trim()).toBe('0123abc | bash .gpu/run.sh say --rounds 9');
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is not needed with git, which knows the commit', () => {
    expect(provenance()).toMatchObject({
      commit: expect.stringMatching(/^[0-9a-f]{40}(-dirty)?$/),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
  });
});
