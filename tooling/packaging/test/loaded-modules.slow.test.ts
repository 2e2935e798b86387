import { describe, expect, it } from 'vitest';
import { runBundled } from './support/run-bundled.ts';
import './loaded-modules.test.ts';

describe('a bundled program with collectives', () => {
  it('runs the kernels if that package is not installed', async () => {
    const { stdout, stderr } = await runBundled(['@nccl-ts/cpu-collectives']);
    expect(stdout).toBe('[[6],[6],[6]]');
    expect(stderr).toContain('kernels do the work of collectives');
  });
});
