import type { CheckResult } from '../protocol.ts';
import { sentence } from './results.ts';

/**
 * The verdict of a check, as one sentence. A deadlock that other findings follow from comes first.
 */
export function verdictSentence({ verdict, deadlocks, report }: CheckResult): string {
  const leading = deadlocks.find((one) => one?.leads === true);
  if (leading === undefined || report.verdict === 'deadlock') return sentence(verdict);
  return `Deadlock, and other findings that may follow from it. ${sentence(verdict)}`;
}
