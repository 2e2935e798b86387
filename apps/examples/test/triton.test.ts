import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { renderReport } from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import { page, programOf, ptx, ranks, textOf } from './support/triton-program.ts';

describe('an AllReduce in Triton', () => {
  it('sums the data of all ranks', async () => {
    await expect(programOf(ptx)(sim({ ranks }))).resolves.toBeUndefined();
  });

  it('gets the report on the page if it has no fences', async () => {
    const report = await check({ ranks }, programOf(ptx.replaceAll('fence.acq_rel.sys;', '')));
    expect(report.verdict).toBe('race');
    const text = renderReport(report);
    const shown = readFileSync(page, 'utf8').replace(/(?<=^```text\n)[^]*?(?=^```)/m, () => `${text}\n`);
    expect(shown).toContain(text);
    await expect(shown).toMatchFileSnapshot('../../../docs/how-to/check-a-triton-kernel.md');
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
