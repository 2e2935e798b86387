import { check } from '@nccl-ts/checker';
import { isNcclError } from '@nccl-ts/core';
import type { Backend } from '@nccl-ts/transport';
import type { SubjectForm } from './subject.ts';

/** The result of plain `check`, with the default options, for a program. */
export type DefaultVerdict =
  /** `by`: the verdict of the report, `wrong-result`, or the code of the thrown error. */
  | { readonly kind: 'complaint'; readonly by: string; readonly said: string }
  /**
   * `isProven`: in each form, one run represented all schedules. `warning`: its findings of
   * severity `model`.
   */
  | { readonly kind: 'clean'; readonly isProven: boolean; readonly warning?: string }
  | { readonly kind: 'incomplete'; readonly why: string };

/** The errors that only say that the check did not end. */
const unfinished = ['NCCLTS_INCOMPLETE', 'NCCLTS_NOT_SUPPORTED'] as const;

/** The program itself reports a wrong result. */
class WrongResult extends Error {}

/**
 * Checks the forms of a program one after another until one reports an error. It sets no option
 * except the machine. `wrap` may change the backend. `seed` defaults to that of `check`.
 */
export async function checkByDefault(
  forms: readonly SubjectForm[],
  wrap: (backend: Backend) => Backend,
  seed?: number,
): Promise<DefaultVerdict> {
  let isProven = true;
  let why: string | undefined;
  let warning: string | undefined;
  for (const form of forms) {
    const verdict = await checkForm(form, wrap, seed);
    if (verdict.kind === 'complaint') return verdict;
    if (verdict.kind === 'incomplete') why ??= verdict.why;
    else {
      isProven &&= verdict.isProven;
      warning ??= verdict.warning;
    }
  }
  return why === undefined
    ? { kind: 'clean', isProven, ...(warning === undefined ? {} : { warning }) }
    : { kind: 'incomplete', why };
}

async function checkForm(
  { shape, run }: SubjectForm,
  wrap: (backend: Backend) => Backend,
  seed: number | undefined,
): Promise<DefaultVerdict> {
  try {
    const { verdict, proves, findings } = await check(
      { ...shape, multimem: true, ...(seed === undefined ? {} : { seed }) },
      async (backend) => {
        // Hosts do not pause, because only the checker chooses the schedule.
        if (!(await run(wrap(backend), async () => undefined))) throw new WrongResult('the program reports it');
      },
    );
    const said = findings.find(({ severity }) => severity === 'error')?.message ?? '';
    if (verdict === 'clean') {
      const warning = findings.find(({ severity }) => severity === 'model')?.message;
      const isProven = proves.kind === 'all schedules';
      return { kind: 'clean', isProven, ...(warning === undefined ? {} : { warning }) };
    }
    if (verdict === 'incomplete') return { kind: 'incomplete', why: proves.kind === 'nothing' ? proves.bound : said };
    return { kind: 'complaint', by: verdict, said };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    if (unfinished.some((code) => isNcclError(error, code))) return { kind: 'incomplete', why: said };
    return { kind: 'complaint', by: isNcclError(error) ? error.code : 'wrong-result', said };
  }
}
