import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/backend-sim';
import { renderReport, type Finding } from '@nccl-ts/findings';
import { harness, harnessProgram, isHarness, translate } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

interface Exhibit {
  readonly folder: string;
  readonly kind: Finding['kind'];
  /** A part of the line of broken.cu that the finding shows. */
  readonly line: string;
}

const exhibits: readonly Exhibit[] = [
  { folder: 'mixed-size-flags', kind: 'race', line: '*(volatile unsigned char *)' },
  { folder: 'fence-in-one-lane', kind: 'race', line: 'sum += peers.data[r][i]' },
  { folder: 'no-end-barrier', kind: 'race', line: 'sum += peers.data[r][i]' },
  { folder: 'flag-in-graph', kind: 'race', line: 'sum += peers.data[r][i]' },
  { folder: 'two-streams', kind: 'deadlock', line: 'while ((value = load_acquire(from)) == 0)' },
  { folder: 'stale-signal', kind: 'race', line: 'sum += peers.data[rank][(half + r) * count + i]' },
];

async function checked(folder: string, name: string) {
  const at = new URL(`../museum/${folder}/`, import.meta.url);
  const text = (path: string): string => readFileSync(new URL(path, at), 'utf8');
  const module: { default: unknown } = await import(new URL('launch.ts', at).href);
  const launch = module.default;
  if (!isHarness(launch)) throw new TypeError(`${folder}/launch.ts exports no harness`);
  const kernel = translate(launch, text(`${name}.ptx`), { name: `${name}.ptx`, source: text });
  return check({ ranks: launch.ranks }, harnessProgram(harness(launch), kernel));
}

describe('a bug of a public thread', () => {
  it.each(exhibits)('$folder: the broken kernel has a $kind', async ({ folder, kind, line }) => {
    const report = await checked(folder, 'broken');
    expect(report.findings.map((finding) => finding.kind)).toContain(kind);
    expect(renderReport(report)).toContain(line);
  });

  it.each(exhibits)('$folder: the mended kernel is clean', async ({ folder }) => {
    expect(renderReport(await checked(folder, 'mended'))).toMatch(/^clean/);
  });
});
