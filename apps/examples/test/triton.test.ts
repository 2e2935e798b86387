import { readFileSync } from 'node:fs';
import { sim } from '@nccl-ts/backend-sim';
import { describe, expect, it } from 'vitest';
import { page, programOf, ptx, ranks, textOf } from './support/triton-program.ts';

describe('an AllReduce in Triton', () => {
  it('sums the data of all ranks', async () => {
    await expect(programOf(ptx)(sim({ ranks }))).resolves.toBeUndefined();
  });

  it("is compiled and launched by the page's commands", () => {
    const [, python = ''] = /^```python\n([^]*?)^```/m.exec(readFileSync(page, 'utf8')) ?? [];
    const [, launched] = /^```ts\n([^]*?)^```/m.exec(readFileSync(page, 'utf8')) ?? [];
    expect(launched).toBe(textOf('launch.ts'));
    const program = textOf('compile.py').split('\n');
    expect(python).not.toBe('');
    for (const line of python.split('\n')) expect(program).toContain(line);
  });
});
