import type { Communicator } from '@nccl-ts/communicator';
import { scalarInfo } from '@nccl-ts/core';
import { algorithmsOf } from './algorithm.ts';
import { checkRule } from './check-rule.ts';
import { keepSelection, selectionOf } from './impl/collective-state.ts';
import { queryOn, type CommQuery } from './impl/query-on.ts';
import { ruleText, select, type SelectionRule } from './selection.ts';

/** Which collective is asked about. */
export type ExplainQuery = CommQuery;

/**
 * Says in words how a collective would be done on this communicator: what was chosen, the rule that did it, and the rules that there
 * are. For people: the text may change.
 *
 * @throws NcclError as the collective itself.
 */
export function explain(comm: Communicator, query: ExplainQuery): string {
  const rules = selectionOf(comm);
  const whole = queryOn(comm, query);
  const { algorithm, ctas, threads, because } = select(whole, rules);
  const { collective, element, count } = query;
  const bytes = count * scalarInfo[element].bytes;
  return [
    `${collective} of ${count} ${element} (${bytes} bytes) on ${comm.nRanks} ranks of ${whole.backend}:`,
    `  ${algorithm}, ${ctas} CTAs x ${threads} threads, by ${because}`,
    `  algorithms: ${algorithmsOf[collective].join(', ')}`,
    '  rules, the first that fits:',
    ...rules.filter((rule) => rule.collective === collective).map((rule) => `    ${ruleText(rule)}`),
  ].join('\n');
}

/**
 * Replaces the rules by which this communicator chooses algorithms. All ranks set the same, at the same place between their
 * collectives. What no rule fits is `NCCLTS_NOT_SUPPORTED`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where a rule names what there is not.
 */
export function setSelection(comm: Communicator, rules: readonly SelectionRule[]): void {
  for (const rule of rules) checkRule(rule, 'setSelection');
  keepSelection(comm, rules);
}
