import { describe, expect, test } from 'vitest';

import { outcomeHas } from './litmus-test.ts';
import type { LitmusTest } from './litmus-test.ts';
import { litmusTests } from './litmus.ts';
import { ncclRows } from './nccl-rows.ts';
import { verdictOf } from './oracle.ts';
import { showProgram } from './show-program.ts';

function expectCell({ program, weak, expected }: LitmusTest): void {
  const text = showProgram(program);
  const { outcomes } = verdictOf(program);
  // A name that no outcome contains would make every cell an F.
  const names = outcomes[0]?.split(' ').map((word) => word.split('=')[0]);
  expect(names).toEqual(expect.arrayContaining(Object.keys(weak)));
  const cell = outcomes.some((outcome) => outcomeHas(outcome, weak)) ? 'A' : 'F';
  expect({ text, cell }).toEqual({ text, cell: expected });
}

describe('the oracle reproduces the litmus table', () => {
  const tests = litmusTests();

  test('has 15 shapes in 12 columns, and the building blocks of NCCL in 25 rows', () => {
    expect(new Set(tests.map(({ row }) => row)).size).toBe(15);
    expect(tests).toHaveLength(180);
    expect(ncclRows()).toHaveLength(25);
  });

  test.each(tests)('$row, column $column: $expected', expectCell);

  test.each(ncclRows())('$row: $expected', expectCell);
});
