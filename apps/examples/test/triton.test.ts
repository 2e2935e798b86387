import { readFileSync } from 'node:fs';
import { sim } from '@nccl-ts/backend-sim';
import { describe, expect, it } from 'vitest';
import { page, programOf, ptx, ranks, textOf } from './support/triton-program.ts';

describe('an AllReduce in Triton', () => {
  it('sums the data of all ranks', async () => {
    await expect(programOf(ptx)(sim({ ranks }))).resolves.toBeUndefined();
  });

  it("is compiled and launched by the page's commands", () => {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```(?:python|ts)\n([^]*?)^```/gm)];
    const [kernel, compiled = '', launched] = blocks.map(([, block]) => block);
    expect(kernel).toBe(textOf('all_reduce.py'));
    expect(launched).toBe(textOf('launch.ts'));
    const program = textOf('compile.py').split('\n');
    expect(compiled).not.toBe('');
    for (const line of compiled.split('\n')) expect(program).toContain(line);
  });
});
