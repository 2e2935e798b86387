import { explore } from '@nccl-ts/checker';
import { describe, expect, inject, it } from 'vitest';
import { ginLitmus } from '../network/gin-litmus.ts';
import { runGinLitmus } from '../network/run-gin-litmus.ts';

describe('every execution with a network finds exactly the allowed outcomes, and a race if there are several', () => {
  // One shape takes as long as all others.
  const quick = new Set(
    ginLitmus.filter(({ what }) => what !== '... the wait is relaxed').filter((_, i) => i % 2 === 0),
  );
  const rows = ginLitmus.filter((row) => quick.has(row) !== inject('slow'));
  it.each(rows)('$id $what', { timeout: 60_000 }, async (row) => {
    const { ranks, lsaSize = 1, allowed } = row;
    const outcomes = new Set<string>();
    const { complete, report } = await explore(
      { ranks, lsaSize, mode: 'check' },
      async (backend) => {
        outcomes.add(await runGinLitmus(row, backend));
      },
      { runs: 2000 },
    );
    expect(complete).toBe(true);
    expect([...outcomes].toSorted()).toEqual([...allowed].toSorted());
    expect(report?.verdict).toBe(allowed.length === 1 ? 'clean' : 'race');
  });
});
