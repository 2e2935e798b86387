import type { Communicator } from '@nccl-ts/communicator';
import { scalarInfo } from '@nccl-ts/core';
import { algorithmsOf, type Algorithm } from './algorithm.ts';
import { checkRule } from './check-rule.ts';
import { queryOn, type CommQuery } from './impl/query-on.ts';
import { obstacleTo, selectPossible, type PlacedQuery } from './impl/select-possible.ts';
import { keepSelection, selectionOf } from './impl/ways.ts';
import { ruleFits, ruleText, type SelectionRule } from './selection.ts';

/** Which collective is asked about. */
export interface ExplainQuery extends CommQuery {
  /** Whether it is in place. @default false; what in place would be otherwise is said all the same */
  readonly inPlace?: boolean;
}

/**
 * Says in words how a collective would be done on this communicator: what would be done, by which rule, and what stands in the way
 * where that names an algorithm that cannot do it; then each algorithm of the collective and each rule, with what stands in its
 * way. For people: the text may change.
 *
 * @throws NcclError as the collective itself.
 */
export function explain(comm: Communicator, query: ExplainQuery): string {
  const rules = selectionOf(comm);
  const { inPlace = false, ...asked } = query;
  const whole = { ...queryOn(comm, asked), inPlace };
  const { algorithm, ctas, threads, because } = selectPossible(whole, rules);
  const { collective, element, count } = query;
  const bytes = count * scalarInfo[element].bytes;
  return [
    `${collective} of ${count} ${element} (${bytes} bytes) on ${comm.nRanks} ranks of ${whole.backend}${inPlace ? ', in place' : ''}:`,
    `  ${algorithm}, ${ctas} CTAs x ${threads} threads, by ${because}`,
    '  algorithms:',
    ...algorithmsOf[collective].map((one) => `    ${one}${obstacleText(one, whole)}`),
    '  rules, the first that fits:',
    ...rules
      .filter((rule) => rule.collective === collective)
      .map(
        (rule) =>
          `    ${ruleText(rule)}${ruleFits(rule, whole) ? obstacleText(rule.algorithm, whole) : ': does not fit'}`,
      ),
  ].join('\n');
}

/** What stands in an algorithm's way, or would in place; nothing where nothing does. */
function obstacleText(algorithm: Algorithm, query: PlacedQuery): string {
  const obstacle = obstacleTo(algorithm, query);
  if (obstacle !== undefined) return `: cannot, since ${obstacle}`;
  // Whether a call is in place, its caller may not know yet.
  const inPlace = obstacleTo(algorithm, { ...query, inPlace: true });
  return inPlace === undefined ? '' : `: but ${inPlace}`;
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
