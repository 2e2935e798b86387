import { describe, expect, inject, test } from 'vitest';
import { outcomeHas, type LitmusTest } from '../oracle/litmus-test.ts';
import { litmusTests } from '../oracle/litmus.ts';
import { ncclRows } from '../oracle/nccl-rows.ts';
import { verdictOf } from '../oracle/oracle.ts';
import { showProgram } from '../oracle/show-program.ts';
import { graphVerdictOf } from './graph-verdict.ts';

function expectCell({ program, weak, expected }: LitmusTest): void {
  const text = showProgram(program);
  const { outcomes, races, deadlocks } = graphVerdictOf(program);
  const cell = outcomes.some((outcome) => outcomeHas(outcome, weak)) ? 'A' : 'F';
  expect({ text, cell }).toEqual({ text, cell: expected });
  const oracle = verdictOf(program);
  expect({ text, outcomes, races, deadlocks }).toEqual({
    text,
    outcomes: oracle.outcomes,
    races: oracle.races,
    deadlocks: oracle.deadlocks,
  });
}

describe("the graph engine reproduces the litmus table, with the oracle's outcomes and races", () => {
  test.each(litmusTests().filter((_, i) => (i % 4 === 0) !== inject('slow')))(
    '$row, column $column: $expected',
    expectCell,
  );

  test.each(ncclRows().filter(() => !inject('slow')))('$row: $expected', expectCell);
});
