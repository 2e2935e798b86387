import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BaselineEntry } from '../src/check/baseline-entry.ts';
import { build, fixtures, served, stopServing, type Outcome } from './support/command.ts';
import { schemaProblems } from './support/report-schema.ts';

// The machine may be busy.
const timeout = 240_000;

describe('check --baseline', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-baseline-'));

  beforeAll(() => {
    build();
    symlinkSync(join(fixtures, '../../node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
    cpSync(join(fixtures, 'hands.ts'), join(folder, 'kernels/hands.ts'), { recursive: true });
  }, timeout);

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const line = '-n 2 -g 1 -b 4 --arg count=8 --strategy late --schedules 1'.split(' ');

  async function checks(...args: readonly string[]): Promise<Outcome> {
    return served(['check', ...args, ...line], folder);
  }

  /** A process that has loaded the module would not notice the change. */
  function rewrite(text: string): void {
    writeFileSync(join(folder, 'kernels/hands.ts'), text);
    stopServing();
  }

  test('writes the file, accepts its entries, and lists entries that no longer occur', { timeout }, async () => {
    const file = join(folder, 'accepted.json');
    const read = (): { readonly accepted: readonly BaselineEntry[] } => {
      const json: { readonly accepted: readonly BaselineEntry[] } = JSON.parse(readFileSync(file, 'utf8'));
      return json;
    };

    expect((await checks('kernels/hands.ts', 'drops')).code).toBe(1);
    const written = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json', '--update-baseline');
    expect(written.stdout).toMatch(/^accepted\[race\]: race at .*\n\n.*accepted\.json accepts \d+ findings now\n$/ms);
    expect(written.code).toBe(0);
    const { accepted } = read();
    expect(read()).toMatchObject({ format: 'nccl-ts/check-baseline', version: 1 });
    expect(accepted[0]).toMatchObject({ file: 'kernels/hands.ts', name: 'drops', kind: 'race' });
    expect(accepted.flatMap(({ lines }) => lines).join()).toContain('next[from + i] = f32(i);');

    const again = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json', '--json');
    const json: { readonly accepted: readonly unknown[] } = JSON.parse(again.stdout);
    expect(schemaProblems(json)).toEqual([]);
    expect(json).toMatchObject({ verdict: 'clean', findings: [], stale: [] });
    expect(json.accepted).toHaveLength(accepted.length);
    expect(again.code).toBe(0);

    // Lines that move stay accepted, but a new finding does not.
    const moved = `// a line more\n${readFileSync(join(folder, 'kernels/hands.ts'), 'utf8')}`;
    rewrite(moved);
    const after = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json');
    expect(after.stdout).toMatch(/\n\nclean: no findings/);
    expect(after.stdout).toContain('accepted.json accepts them: a check ends with its first error');
    expect(after.code).toBe(0);
    rewrite(moved.replaceAll("'relaxed'", "'acq_rel'").replaceAll('f32(i)', 'f32(i + 1)'));
    const mended = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json');
    expect(mended.stdout).toMatch(
      /\n\nnote: accepted\.json accepts a finding that no longer occurs: race in drops of kernels\/hands\.ts: /,
    );
    expect(mended.stdout).toMatch(/\n--update-baseline takes (it|them) out\n$/);
    expect(mended.code).toBe(0);
    rewrite(moved.replaceAll('f32(i)', 'f32(i + 1)'));
    const another = await checks('kernels/hands.ts', 'drops', '--baseline', 'accepted.json');
    expect(another.stdout).toMatch(/^race: /m);
    expect(another.stdout).not.toContain('not found any more');
    expect(another.code).toBe(1);
  });
});
