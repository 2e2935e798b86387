import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tableVersions } from './nccl-versions/nccl-install.ts';
import { versionRows } from './nccl-versions/version-rows.ts';
import { versionTable, withTable } from './nccl-versions/version-table.ts';

it('the table of versions has a word for every result', () => {
  const table = versionTable(
    ['2.28.9', '2.32.3', 'stand-ins'],
    [
      { title: 'waits', results: [{ kind: 'lacks', since: '2.31.2' }, { kind: 'compiles' }, undefined] },
      { title: 'puts', results: [{ kind: 'fails', messages: '' }, { kind: 'compiles' }, undefined] },
    ],
  );
  expect(table.split('\n')).toEqual([
    '|  | 2.28.9 | 2.32.3 | stand-ins |',
    '|---|---|---|---|',
    '| waits | refused: since 2.31.2 | ✓ |  |',
    '| puts | fails | ✓ |  |',
  ]);
});

it('the table of versions replaces the one between its marks, and needs them', () => {
  const marks = ['<!-- nccl-versions: begin -->', '<!-- nccl-versions: end -->'] as const;
  expect(withTable(`a\n${marks.join('old')}\nb`, 'new')).toBe(`a\n${marks[0]}\n\nnew\n\n${marks[1]}\nb`);
  expect(() => withTable('a', 'new')).toThrow('no place for the table');
});

it('the README has every version and every part of the device API, without failures', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, table = ''] = /nccl-versions: begin -->([^]*)<!-- nccl-versions: end/.exec(readme) ?? [];
  for (const version of tableVersions) expect(table).toContain(`| ${version} |`);
  for (const { title } of versionRows) expect(table).toContain(`| ${title} |`);
  expect(table).not.toContain('fails');
});
