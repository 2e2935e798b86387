import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import { changed, page, programOf, ptx, ranks } from './support/triton-program.ts';

describe('an AllReduce in Triton', () => {
  it('an AllReduce in Triton is clean', async () => {
    expect(renderReport(await check({ ranks }, programOf(ptx)))).toMatch(/^clean/);
  });

  it('gets the report on the page if it has no fences', async () => {
    const report = await check({ ranks }, programOf(ptx.replaceAll('fence.acq_rel.sys;', '')));
    expect(report.verdict).toBe('race');
    const text = renderReport(report);
    const shown = readFileSync(page, 'utf8').replace(/(?<=^```text\n)[^]*?(?=^```)/m, () => `${text}\n`);
    expect(shown).toContain(text);
    await expect(shown).toMatchFileSnapshot('../../../docs/how-to/check-a-triton-kernel.md');
  });

  it.each([
    ['the first fence', /fence\.acq_rel\.sys;/g, 0, ''],
    ['the acquire of the first wait', /ld\.acquire\.sys/g, 0, 'ld.relaxed.sys'],
    ['the barrier of the CTA before the first flags', /bar\.sync\s+0;/g, 0, ''],
  ])('has a race at the lines of the .py without %s', async (_, pattern, at, to) => {
    const report = await check({ ranks }, programOf(changed(pattern, at, to)));
    expect(report.verdict).toBe('race');
    expect(renderReport(report)).toContain('total += tl.load(data + at');
    expect(renderReport(report)).toContain('tl.store(mine + at');
  });

  it('warns without the first fence of the last barrier, which only orders loads before stores', async () => {
    const report = await check({ ranks }, programOf(changed(/fence\.acq_rel\.sys;/g, 2, '')));
    expect(report.verdict).toBe('clean');
    expect(new Set(report.findings.map(({ severity }) => severity))).toEqual(new Set(['model']));
    expect(renderReport(report)).toContain('if an instruction before the later flag uses the loaded value');
  });
});
