import { toleratesMore, type CheckedText } from './checked-text.ts';
import type { JudgedPlace } from './relax-report.ts';

/** The first input in which a changed program is not as good as the original. */
export interface Killed {
  readonly input: string;
  readonly trial: CheckedText;
  /** True if the check has new warnings about orders that the memory model does not promise. */
  readonly isOnHardware: boolean;
}

/** An original program that has no error. */
export type CleanText = Extract<CheckedText, { readonly kind: 'clean' }>;

/** Compares a changed program with the original in one input; `undefined` if it is as good. */
export function killedIn(input: string, trial: CheckedText, original: CleanText): Killed | undefined {
  if (trial.kind !== 'clean') return { input, trial, isOnHardware: false };
  const isOnHardware = toleratesMore(trial.report, original.report, 'model');
  // Other launches may write other values than these, so that equal ones excuse nothing.
  const isAsGood =
    trial.isProven &&
    !isOnHardware &&
    !toleratesMore(trial.report, original.report, 'note') &&
    trial.warnings.every((warning) => original.warnings.includes(warning));
  return isAsGood ? undefined : { input, trial, isOnHardware };
}

/** The judgement of a place of which no weaker form is as good. `killed` is about the nearest. */
export function judgementOf(killed: Killed | undefined): Pick<JudgedPlace, 'judgement' | 'finding' | 'input' | 'why'> {
  if (killed === undefined) return { judgement: 'not judged', why: 'nothing weaker is known' };
  const { input, trial, isOnHardware } = killed;
  switch (trial.kind) {
    case 'wrong':
      return { judgement: 'needed', finding: trial.finding, input };
    case 'none':
      return { judgement: 'not judged', why: `without it there is no verdict: ${trial.why}`, input };
    case 'clean':
      if (!trial.isProven)
        return { judgement: 'not judged', why: 'without it, the check gives no proof for every schedule', input };
      return isOnHardware
        ? { judgement: 'rests on hardware', input }
        : { judgement: 'not judged', why: 'without it, equal values hide a race', input };
  }
}

/** The reason why an input cannot judge; `undefined` if the original has a proof there. */
export function unusableOf(original: CheckedText): string | undefined {
  switch (original.kind) {
    case 'none':
      return original.why;
    case 'wrong':
      return `it is wrong there: ${original.finding.message}`;
    case 'clean':
      return original.isProven ? undefined : 'the check gives no proof for every schedule';
  }
}

/**
 * Finds offers that hold together: all, or else as many as come first. `step` is called before each
 * call of `killed`, with what is tried.
 */
export async function offersTogether(
  offers: readonly number[],
  killed: (chosen: readonly number[]) => Promise<Killed | undefined>,
  step: (doing: string) => void,
): Promise<readonly number[]> {
  if (offers.length <= 1) return offers;
  step('all offers together');
  if ((await killed(offers)) === undefined) return offers;
  let chosen: readonly number[] = [];
  for (const offer of offers) {
    const more = [...chosen, offer];
    step(`${more.length} offers together`);
    if ((await killed(more)) === undefined) chosen = more;
  }
  return chosen;
}
