import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { renderReport } from '@nccl-ts/findings';
import { harnessProgram, translate } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';
import launch from '../triton/launch.ts';

const folder = new URL('../triton/', import.meta.url);
const page = new URL('../../../docs/how-to/check-a-triton-kernel.md', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, folder), 'utf8');
const ptx = textOf('all_reduce.ptx');

function programOf(text: string) {
  return harnessProgram(launch, translate(launch, text, { name: 'all_reduce.ptx', source: textOf }));
}

/** Replaces match number `index`, from 0, in a text. */
function changed(pattern: RegExp, at: number, to: string): string {
  let seen = 0;
  const text = ptx.replace(pattern, (found) => (seen++ === at ? to : found));
  expect(text).not.toBe(ptx);
  return text;
}

describe('an AllReduce in Triton', () => {
  it('sums the data of all ranks', async () => {
    await expect(programOf(ptx)(sim({ ranks: launch.ranks }))).resolves.toBeUndefined();
  });

  it('an AllReduce in Triton is clean', async () => {
    expect(renderReport(await check({ ranks: launch.ranks }, programOf(ptx)))).toMatch(/^clean/);
  });

  it.each([
    ['the first fence', /fence\.acq_rel\.sys;/g, 0, ''],
    ['the first fence of the last barrier', /fence\.acq_rel\.sys;/g, 2, ''],
    ['the acquire of the first wait', /ld\.acquire\.sys/g, 0, 'ld.relaxed.sys'],
    ['the barrier of the CTA before the first flags', /bar\.sync\s+0;/g, 0, ''],
  ])('has a race at the lines of the .py without %s', async (_, pattern, at, to) => {
    const report = await check({ ranks: launch.ranks }, programOf(changed(pattern, at, to)));
    expect(report.verdict).toBe('race');
    expect(renderReport(report)).toContain('total += tl.load(data + at');
    expect(renderReport(report)).toContain('tl.store(mine + at');
  });

  it('gets the report on the page if it has no fences', async () => {
    const report = await check({ ranks: launch.ranks }, programOf(ptx.replaceAll('fence.acq_rel.sys;', '')));
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
