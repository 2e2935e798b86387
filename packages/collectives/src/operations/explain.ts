import type { Communicator } from '@nccl-ts/communicator';
import { reading, scalarInfo } from '@nccl-ts/core';
import { algorithmsOf, type Algorithm } from '../algorithms/algorithm.ts';
import { checkRule } from '../selection/check-rule.ts';
import { queryOn, type CollectiveQuery } from '../selection/query-on.ts';
import { obstacleTo, selectPossible, type PlacedQuery } from '../selection/select-possible.ts';
import { keepSelection, selectionOf } from '../impl/selected-algorithm.ts';
import { ruleFits, ruleText, type SelectionRule } from '../selection/selection-rule.ts';

/**
 * The collective that an explanation is about. The explanation always mentions how in-place use
 * changes the choice.
 */
export interface ExplainQuery extends CollectiveQuery {
  /**
   * Predicts the microseconds that a call takes with an algorithm, for the text; `undefined` if
   * there is no prediction. `nccl-ts predict` and `predict()` of `@nccl-ts/backend-sim` give such
   * times.
   */
  readonly predictor?: (algorithm: Algorithm) => number | undefined;
}

/**
 * Describes in words how this communicator would run a collective. It states the algorithm, the
 * rule, and the obstacle if the rule names an algorithm that does not support the call. It then
 * lists each algorithm of the collective and each rule, with its obstacle. The text is for people
 * and may change.
 *
 * @throws NcclError for the same reasons as the collective itself.
 */
export function explain(comm: Communicator, query: ExplainQuery): string {
  return reading('explain', () => explained(comm, query));
}

function explained(comm: Communicator, query: ExplainQuery): string {
  const rules = selectionOf(comm);
  const { inPlace = false, predictor, ...requested } = query;
  const whole = { ...queryOn(comm, requested), inPlace };
  const { algorithm, ctas, threads, because } = selectPossible(whole, rules);
  const timeText = (one: Algorithm): string => {
    const us = predictor?.(one);
    return us === undefined ? '' : `, predicted ${us.toFixed(2)} us`;
  };
  const { collective, element, count } = query;
  const bytes = count * scalarInfo[element].bytes;
  return [
    `${collective} of ${count} ${element} (${bytes} bytes) on ${comm.nRanks} ranks of ${whole.backend}${inPlace ? ', in place' : ''}:`,
    `  ${algorithm}, ${ctas} CTAs x ${threads} threads, by ${because}${timeText(algorithm)}`,
    '  algorithms:',
    ...algorithmsOf[collective].map((one) => `    ${one}${timeText(one)}${obstacleText(one, whole)}`),
    '  rules (the first that fits applies):',
    ...rules
      .filter((rule) => rule.collective === collective)
      .map(
        (rule) =>
          `    ${ruleText(rule)}${ruleFits(rule, whole) ? obstacleText(rule.algorithm, whole) : ': does not fit'}`,
      ),
  ].join('\n');
}

/**
 * The obstacle of an algorithm, for this call or for the same call in place; an empty text if there
 * is none.
 */
function obstacleText(algorithm: Algorithm, query: PlacedQuery): string {
  const obstacle = obstacleTo(algorithm, query);
  if (obstacle !== undefined) return `: cannot, since ${obstacle}`;
  // The caller may not know yet if the call will be in place.
  const inPlace = obstacleTo(algorithm, { ...query, inPlace: true });
  return inPlace === undefined ? '' : `: but ${inPlace}`;
}

/**
 * Replaces the rules by which this communicator selects algorithms. All ranks must set the same
 * rules, at the same point between their collectives. A call that no rule fits throws
 * `NCCLTS_NOT_SUPPORTED`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if a rule names an unknown collective or algorithm.
 */
export function setSelection(comm: Communicator, rules: readonly SelectionRule[]): void {
  reading('setSelection', () => {
    for (const rule of rules) checkRule(rule, 'setSelection');
    keepSelection(comm, rules);
  });
}
