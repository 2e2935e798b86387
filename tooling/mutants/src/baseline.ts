import type { Backend } from '@nccl-ts/transport';
import { formsOf, type Subject } from './subject.ts';
import { recordKernels, type Launched } from './swap-kernel.ts';
import { runOnce, tryOnce, type Complaint, type Trial } from './trial.ts';

/**
 * The result of an unchanged program: its kernels, with each name once, or the reason why it is
 * excluded.
 */
export interface Baseline {
  readonly unclean?: Complaint;
  readonly launched: readonly Launched[];
}

/**
 * Runs an unchanged program with a check, under each of `trials`. If its kernels are `known`, it
 * runs without a check and only until each was launched, which takes far less time.
 */
export async function baselineOf(
  subject: Subject,
  trials: readonly Trial[],
  known?: readonly string[],
): Promise<Baseline> {
  const launched = new Map<string, Launched>();
  for (const { trial, form } of trials.flatMap((one) => formsOf(subject).map((its) => ({ trial: one, form: its })))) {
    let recorded: ReturnType<typeof recordKernels> | undefined;
    const record = (backend: Backend): Backend => {
      recorded = recordKernels(backend);
      return recorded.backend;
    };
    const complaint = await (known === undefined ? tryOnce : runOnce)(form, trial, record);
    const failed =
      recorded?.failed() === true ? { by: 'failure', said: 'a launch fails on purpose', trial } : undefined;
    const unclean = complaint ?? failed;
    if (unclean !== undefined) return { unclean, launched: [] };
    for (const one of recorded?.launched() ?? []) {
      if (!launched.has(one.module.name)) launched.set(one.module.name, one);
    }
    if (known?.every((name) => launched.has(name)) === true) break;
  }
  return { launched: [...launched.values()] };
}
