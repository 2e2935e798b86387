import { judge, type Disagreement, type JudgeOptions } from './judge.ts';
import { subjectOf, type AnyProgram } from './subject.ts';

export interface Minimised {
  readonly program: AnyProgram;
  readonly detail: string;
  /** True if all smaller programs were tried. */
  readonly smallest: boolean;
}

export interface MinimiseOptions extends JudgeOptions {
  /** The most programs to try. */
  readonly tries: number;
  /** The most milliseconds to take. */
  readonly milliseconds: number;
}

/**
 * Finds the smallest program that it can reach from `program` by small steps and that still breaks
 * the rule.
 */
export async function minimise(
  program: AnyProgram,
  { rule, detail }: Disagreement,
  { tries, milliseconds, ...options }: MinimiseOptions,
): Promise<Minimised> {
  const began = performance.now();
  let current: Pick<Minimised, 'program' | 'detail'> = { program, detail };
  let left = tries;
  const step = async (): Promise<boolean> => {
    for (const next of subjectOf(current.program).smaller()) {
      if (left-- <= 0 || performance.now() - began > milliseconds) return false;
      const { disagreements } = await judge(next, options);
      // A program that launches nothing breaks a rule of its own.
      const same = disagreements.find((one) => one.rule === rule && !one.detail.includes('NCCLTS_NO_LAUNCH'));
      if (same === undefined) continue;
      current = { program: next, detail: same.detail };
      return true;
    }
    return false;
  };
  while (await step());
  return { ...current, smallest: left > 0 && performance.now() - began <= milliseconds };
}
