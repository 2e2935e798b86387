import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { isNcclError } from '@nccl-ts/core';
import type { Backend } from '@nccl-ts/transport';
import { dawdling } from './dawdling.ts';
import { keepWorlds } from './keep-worlds.ts';
import type { SubjectForm } from './subject.ts';

/** One way to run a subject. It determines all random choices. */
export interface Trial {
  readonly strategy: NonNullable<SimOptions['strategy']>;
  readonly seed: number;
}

/** The evidence of a problem. */
export interface Complaint {
  /** The verdict of the checker, `wrong-result`, or the code of the thrown error. */
  readonly by: string;
  readonly said: string;
  readonly trial: Trial;
}

/**
 * The number of loop rounds that a CTA may run. It is far above the needs of any subject, but soon
 * reached if a mutant spins.
 */
export const FUEL = 1 << 20;

/** Runs a program once, on a backend that `wrap` may change. Returns the error, if any. */
export async function tryOnce(
  { shape, run }: SubjectForm,
  trial: Trial,
  wrap: (backend: Backend) => Backend,
): Promise<Complaint | undefined> {
  const { strategy, seed } = trial;
  const kept = keepWorlds(sim({ ...shape, seed, strategy, multimem: true, mode: 'check', fuel: FUEL }));
  const said = await complaintOf(run, wrap(kept.backend), trial);
  const by = kept.complaint();
  return by === undefined ? said : { by, said: kept.message(), trial };
}

/** Runs a program once without a check. Returns the errors that the program itself reports. */
export async function runOnce(
  { shape, run }: SubjectForm,
  trial: Trial,
  wrap: (backend: Backend) => Backend,
): Promise<Complaint | undefined> {
  const { strategy, seed } = trial;
  return complaintOf(run, wrap(sim({ ...shape, seed, strategy, multimem: true, fuel: FUEL })), trial);
}

async function complaintOf(run: SubjectForm['run'], backend: Backend, trial: Trial): Promise<Complaint | undefined> {
  try {
    if (await run(backend, dawdling(trial.seed))) return undefined;
    return { by: 'wrong-result', said: 'the program reports that its result is wrong', trial };
  } catch (error) {
    const by = isNcclError(error) ? error.code : 'wrong-result';
    return { by, said: error instanceof Error ? error.message : String(error), trial };
  }
}
