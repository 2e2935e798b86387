import { explore } from '@nccl-ts/checker';
import { describe, expect, inject, it } from 'vitest';
import { ginLitmus } from './gin-litmus.ts';
import { runGinLitmus } from './run-gin-litmus.ts';

/**
 * The number of runs for a row that has very many. With NCCLTS_EVERY_CASE set, all run, which takes
 * a minute.
 */
const someRuns = 1000;
const everyCase = inject('everyCase');

/** The quick tests have one row of each shape with few executions. */
const many = ['GN2', 'GN7', 'GN9'];
const quick = new Set(
  new Map(ginLitmus.toReversed().flatMap((row) => (many.includes(row.id) ? [] : [[row.id, row] as const]))).values(),
);
const rows = ginLitmus.filter((row) => quick.has(row) !== inject('slow'));

describe('every order of delivery finds exactly the allowed outcomes', () => {
  it.each(rows)('$id $what', { timeout: 240_000 }, async (row) => {
    const { ranks, lsaSize = 1, allowed, long = false } = row;
    const partly = long && !everyCase;
    const outcomes = new Set<string>();
    const explored = await explore(
      { ranks, lsaSize },
      async (backend) => {
        outcomes.add(await runGinLitmus(row, backend));
      },
      { runs: partly ? someRuns : 100_000 },
    );
    expect(explored.complete).toBe(!partly);
    expect([...outcomes].toSorted()).toEqual([...allowed].toSorted());
  });
});
