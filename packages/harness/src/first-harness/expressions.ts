import type { HarnessArgument } from '../memory/harness-argument.ts';
import type { PlanContext, PlannedExpression } from './launch-plan.ts';

export function plain(text: string, of: (context: PlanContext) => HarnessArgument): PlannedExpression {
  return { text, imports: [], of };
}

/** A value that only the author knows. The candidates are texts. */
export function todo(
  what: string,
  candidates: readonly string[],
  of: (context: PlanContext) => HarnessArgument,
): PlannedExpression {
  return { text: `todo(${[`'${what.replaceAll("'", '')}'`, ...candidates].join(', ')})`, imports: ['todo'], of };
}

/** An allocation, at the own rank. */
export function own(memory: string): PlannedExpression {
  return plain(memory, ({ allocation }) => allocation(memory));
}

/** True if two names differ only in the word for multicast, and the word for a single GPU. */
export function isPair(multicast: string, other: string): boolean {
  const bare = (name: string): string =>
    name
      .toLowerCase()
      .replaceAll(/(?:^|_)(?:mc|multicast|multimem|nvls|uc|unicast|local|own|my)(?=_|$)/gu, '')
      .replaceAll('_', '');
  return multicast !== other && bare(multicast) === bare(other);
}

export function multicastOf(memory: string): PlannedExpression {
  return plain(`multicast(${memory})`, ({ setup, allocation }) => setup.multicast(allocation(memory)));
}
