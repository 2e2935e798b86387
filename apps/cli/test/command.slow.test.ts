import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { build, fixtures, ncclTs, served } from './support/command.ts';
import { requireAdapter } from './support/require-adapter.ts';
import './command.test.ts';

// The machine may be busy.
const timeout = 60_000;

beforeAll(build, timeout);

describe('run', () => {
  test.concurrent('fails if the host program never ends', { timeout }, async ({ expect }) => {
    const stuck = await ncclTs(['run', 'stuck-host.ts']);
    expect(stuck).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: the program awaits a promise that never settles\n',
    });
  });

  test.concurrent('loads a module of a project without a module type', { timeout }, async ({ expect }) => {
    const project = mkdtempSync(join(tmpdir(), 'nccl-ts-'));
    try {
      mkdirSync(join(project, 'node_modules'));
      symlinkSync(join(fixtures, '../../node_modules/@nccl-ts'), join(project, 'node_modules/@nccl-ts'));
      writeFileSync(join(project, 'package.json'), '{}');
      writeFileSync(
        join(project, 'fill.ts'),
        `import { window } from '@nccl-ts/devcomm';
         import { kernel } from '@nccl-ts/kernel';
         import { lsa } from '@nccl-ts/lsa';
         enum Value { Seven = 7 }
         export const fill = kernel(
           { name: 'fill', use: { lsa, seven: Value.Seven }, params: { win: window } },
           ({ lsa, threadIdx, f32, seven }, { win }) => { lsa.localPointer(win, f32, 0)[threadIdx.x] = f32(seven); },
         );`,
      );
      const { code, stdout, stderr } = await served('run fill.ts -n 1 -g 1 -b 4 --bytes 16'.split(' '), project);
      expect(stderr).toBe('');
      expect(stdout).toContain('rank 0: win sum 28  [7, 7, 7, 7, ...]');
      expect(code).toBe(0);
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  });
});

describe('run --backend webgpu', () => {
  test("prints the host program's results and the GPU as JSON", { timeout }, async ({ skip }) => {
    await requireAdapter(skip);
    const { code, stdout } = await served('run host.ts --backend webgpu -n 2 -b 8 --show 3 --json'.split(' '));
    expect(JSON.parse(stdout)).toMatchObject({
      ranOn: { backend: 'webgpu', adapter: expect.any(String), software: expect.any(Boolean) },
      results: [{ value: { length: 8, first: [0, 1, 2] } }, { value: { length: 8, first: [10, 11, 12] } }],
    });
    expect(code).toBe(0);
  });

  test('fails with the line of an out-of-bounds access', { timeout }, async ({ skip }) => {
    await requireAdapter(skip);
    const line = 'run mistakes.ts -k strays --backend webgpu -n 1 -g 1 -b 1 --bytes 4K -a at=1024';
    const { code, stdout, stderr } = await served(line.split(' '));
    expect(stderr).toMatch(/^error\[NCCLTS_OUT_OF_BOUNDS\]: /);
    expect(stderr).toContain('byte 4096 of window 0');
    expect(stderr).toMatch(/mistakes\.ts:22:5\n +\|\n22 \| +p\[at\] = f32\(1\);\n +\| +\^{14} /);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  test('suggests a fix on a machine without an adapter', { timeout }, async () => {
    const nowhere = { VK_ICD_FILENAMES: join(tmpdir(), 'no-such-driver.json'), VK_DRIVER_FILES: '' };
    const { code, stdout, stderr } = await ncclTs('run host.ts --backend webgpu'.split(' '), fixtures, nowhere);
    expect(stderr).toMatch(/^error\[NCCLTS_WEBGPU_NO_ADAPTER\]: .*VK_ICD_FILENAMES/m);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});
