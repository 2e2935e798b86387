import { expect, test } from 'vitest';

import { lacking, leftOut, mapped, planned } from '../src/entry.ts';
import { renderTable } from '../src/render-table.ts';

test('the table counts by header, by package and by reason', () => {
  const surface = {
    version: '2.30.7',
    tag: 'v2.30.7-1',
    commit: '',
    symbols: [
      { name: 'ncclTeam', kind: 'struct', header: 'a.h' },
      { name: 'ncclTeamWorld', kind: 'function', header: 'a.h' },
      { name: 'ncclGin', kind: 'typedef', header: 'b.h' },
      { name: 'ncclFindWindow', kind: 'function template', header: 'b.h' },
      { name: 'pncclSend', kind: 'function', header: 'b.h' },
    ] as const,
  };
  const entries = [
    ...mapped({ ncclTeam: 'topology:Team' }),
    ...lacking('a host form', { ncclTeamWorld: 'topology:teamWorld' }),
    ...planned('gin', 'callOptions', 'ncclGin'),
    ...planned('devcomm', 'fabricBarriers', 'ncclFindWindow'),
    ...leftOut('profilingAlias', 'pncclSend'),
  ];
  const lines = renderTable(surface, entries, new Set(['devcomm'])).split('\n');
  expect(lines[0]).toBe(
    'NCCL 2.30.7 (v2.30.7-1), 5 symbols: 2 mapped (1 of them lack something), 2 planned, 1 left out',
  );
  expect(lines).toContain('| `a.h` | 2 | 2 | 1 | 0 | 0 |');
  expect(lines).toContain('| `b.h` | 3 | 0 | 0 | 2 | 1 |');
  expect(lines).toContain('| all | 5 | 2 | 1 | 2 | 1 |');
  expect(lines).toContain('| `gin` | 1 | to come |');
  expect(lines).toContain('| `devcomm` | 1 | is there |');
  expect(lines.find((line) => line.startsWith('| callOptions'))).toContain('| 1 |');
  expect(lines.find((line) => line.startsWith('| tma'))).toContain('| 0 |');
  expect(lines.find((line) => line.startsWith('| profilingAlias'))).toContain('| 1 |');
  expect(lines).toContain('| `ncclTeamWorld` | a host form |');
});
