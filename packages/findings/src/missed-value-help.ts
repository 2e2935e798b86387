import { at } from '@nccl-ts/core';
import { changeText } from './change-text.ts';
import type { WaitingThreads } from './deadlock-report.ts';
import type { WordHistory } from './word-history.ts';

/**
 * The advice for a wait whose value was there, and which did not look before the next change. It
 * waits for one value of a word that goes on, or for a least value of a word that becomes smaller.
 */
export function missedValueHelp({ needed }: WaitingThreads, { changes, read }: WordHistory): string | undefined {
  const accepts = conditionOf(needed);
  if (accepts === undefined) return undefined;
  const index = changes.findLastIndex(({ value }) => value !== undefined && accepts(value));
  const [enough, next] = index === -1 ? [] : changes.slice(index);
  if (enough?.value === undefined || next?.value === undefined) return undefined;
  // The waiting side has seen the value already, in an earlier round.
  if (read !== undefined && (accepts(read.value) || read.value > enough.value)) return undefined;
  const values = changes.slice(index).flatMap(({ value }) => value ?? []);
  const grows = values.slice(1).every((value, i) => value > at(values, i));
  const isLeast = needed.startsWith('>');
  const instead = grows
    ? `wait for >= ${enough.value}`
    : isLeast
      ? 'let the value only grow, or compare so that a value that has begun again counts as greater (the sign of the difference)'
      : 'wait for a value that only grows';
  const hasLaunches = enough.by.purpose !== next.by.purpose;
  const [one, other] = [enough, next].map((change) => changeText(change, hasLaunches));
  return (
    `it was ${enough.value}, by ${one}, but the waiting thread did not look before ${other} made it ${next.value}: ` +
    `${instead}; or let nobody change it before the waiting thread has seen the value`
  );
}

/** The values for which a wait ends, of those that are equal to one or not less than one. */
function conditionOf(needed: string): ((value: bigint) => boolean) | undefined {
  const [, relation = '', digits] = /^(>=? )?(\d+)$/.exec(needed) ?? [];
  if (digits === undefined) return undefined;
  const wanted = BigInt(digits);
  switch (relation) {
    case '>= ':
      return (value) => value >= wanted;
    case '> ':
      return (value) => value > wanted;
    default:
      return (value) => value === wanted;
  }
}
