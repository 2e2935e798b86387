import { verdictOf, type Verdict } from '../oracle/oracle.ts';
import { showProgram } from '../oracle/show-program.ts';
import type { SmallProgram } from '../oracle/small-program.ts';
import { graphVerdictOf } from './graph-verdict.ts';

/**
 * Describes the differences between the graph engine and the oracle for a program. Returns
 * `undefined` if they agree.
 */
export function differenceOf(program: SmallProgram): string | undefined {
  const graph = graphVerdictOf(program);
  const oracle = verdictOf(program);
  const lines = [
    ...listed('outcome', graph.outcomes, oracle.outcomes),
    ...listed('race', graph.races, oracle.races),
    ...(graph.deadlocks === oracle.deadlocks
      ? []
      : [`the graph engine deadlocks: ${graph.deadlocks}, the oracle: ${oracle.deadlocks}`]),
  ];
  return lines.length === 0 ? undefined : [showProgram(program), ...lines].join('\n');
}

function listed(what: string, graph: Verdict['outcomes'], oracle: Verdict['outcomes']): readonly string[] {
  return [
    ...graph.filter((each) => !oracle.includes(each)).map((each) => `${what} of the graph engine alone: ${each}`),
    ...oracle.filter((each) => !graph.includes(each)).map((each) => `${what} of the oracle alone: ${each}`),
  ];
}
