import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject } from 'create-nccl-ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nccl-ts-create-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('workflows', () => {
  const root = new URL('../../../', import.meta.url);

  it.each([
    ['packages/create-nccl-ts/template/.github/workflows/check.yml', 'npm run check', 'npm test'],
    ['docs/how-to/test-a-kernel-in-ci.md', 'npx nccl-ts check gather.ts', 'npx vitest run'],
  ])('publish findings before the tests fail for them, in %s', (file, check, tests) => {
    const text = readFileSync(new URL(file, root), 'utf8');
    const workflow = file.endsWith('.md') ? (/^```yaml\n([^]*?)^```/m.exec(text)?.[1] ?? '') : text;
    const steps = workflow.split(/\n {6}- /);
    const step = (part: string): number => steps.findIndex((one) => one.includes(part));
    expect(step(`run: ${check}`)).toBeGreaterThan(0);
    expect(step('upload-sarif')).toBe(step(`run: ${check}`) + 1);
    expect(steps[step('upload-sarif')]).toContain('if: always()');
    expect(step(`run: ${tests}`)).toBeGreaterThan(step('upload-sarif'));
    expect(steps[step(`run: ${tests}`)]).toContain('if: always()');
  });
});

describe('createProject', () => {
  it('writes a kernel, a host, a test and a workflow', async () => {
    const created = await createProject(join(folder, 'My Kernels'));
    expect(created.name).toBe('my-kernels');
    expect(created.files).toEqual([
      '.github/workflows/check.yml',
      '.gitignore',
      '.oxlintrc.json',
      'AGENTS.md',
      'README.md',
      'package.json',
      'src/kernel.ts',
      'src/main.ts',
      'test/kernel.test.ts',
      'tsconfig.json',
    ]);
    const own: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
    const manifest: unknown = JSON.parse(readFileSync(join(created.folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      name: 'my-kernels',
      dependencies: { 'nccl-ts': `^${String(Reflect.get(Object(own), 'version'))}` },
    });
    expect(readFileSync(join(created.folder, 'README.md'), 'utf8')).toMatch(/^# my-kernels\n/);
  });

  it('replaces every placeholder', async () => {
    const created = await createProject(join(folder, 'whole'), { version: '1.2.3' });
    for (const file of created.files) {
      expect(readFileSync(join(created.folder, file), 'utf8')).not.toMatch(/PROJECT_NAME|NCCL_TS_VERSION/);
    }
    expect(readFileSync(join(created.folder, 'package.json'), 'utf8')).toContain('"nccl-ts": "1.2.3"');
  });

  it('accepts an empty folder, and a fresh repository', async () => {
    mkdirSync(join(folder, 'repository/.git'), { recursive: true });
    const created = await createProject(join(folder, 'repository'));
    expect(created.files).toContain('src/kernel.ts');
  });

  it('changes nothing in a folder with files', async () => {
    const used = join(folder, 'used');
    mkdirSync(used);
    writeFileSync(join(used, 'package.json'), '{}');
    await expect(createProject(used)).rejects.toThrow(
      /has files \(package\.json\); name a folder that is new or empty$/,
    );
    expect(readdirSync(used)).toEqual(['package.json']);
  });

  it('uses a name that npm allows', async () => {
    expect((await createProject(join(folder, '__'))).name).toBe('kernels');
  });
});
