import { check } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { isNcclError } from '@nccl-ts/core';
import { printModule, type ValidatedModule } from '@nccl-ts/ir';
import type { Mutant } from '@nccl-ts/mutation';
import { KernelRuns } from './kernel-runs.ts';
import { isLarge, type Exhaustive, type Proof, type ProvenSize } from './outcome.ts';
import { formsOf, type SubjectForm, type Subject } from './subject.ts';
import { recordKernels, swapKernel } from './swap-kernel.ts';
import { FUEL, type Trial } from './trial.ts';

/**
 * The number of runs of the tiny form that are checked first, because an error in many runs also
 * shows in one of these.
 */
const FEW = 50;

/** The claim to prove: a mutant of one kernel of a program is no worse than the kernel. */
export interface Claim {
  readonly subject: Subject;
  readonly kernel: ValidatedModule;
  readonly mutant: Mutant;
  readonly trials: readonly Trial[];
  /** The most runs of the tiny form. 0 skips it. */
  readonly runs: number;
}

/**
 * Tries to prove that a mutant is harmless. It runs each form of the program that reaches the
 * change once, which is enough if that run represents all runs. Otherwise it explores all
 * executions of the tiny form.
 */
export async function prove(claim: Claim): Promise<Proof> {
  const { subject, kernel, mutant, trials, runs } = claim;
  const reaching: SubjectForm[] = [];
  for (const form of formsOf(subject)) {
    if (await new KernelRuns([form], kernel, trials).reaches(mutant)) reaching.push(form);
  }
  const seen: Exhaustive[] = [];
  let doubt = 'no form of the program runs the changed code';
  for (const form of reaching) {
    const proof = await goThrough(claim, form, 0);
    if (proof.kind === 'wrong') return proof;
    if (proof.kind === 'exhaustive') seen.push(proof);
    if (proof.kind === 'unproven') doubt = proof.why;
  }
  const [first] = seen;
  if (first !== undefined && seen.length === reaching.length) return seen.find(({ size }) => isLarge(size)) ?? first;
  if (runs === 0)
    return { kind: 'unproven', why: seen.length === 0 ? doubt : 'one run stands for all in only some of its forms' };
  const tiny = subject.tiny ?? subject;
  // If no run of a program reaches the changed code, its runs prove nothing.
  if (!(await new KernelRuns([tiny], kernel, trials).reaches(mutant)))
    return { kind: 'unproven', why: 'the tiny form never runs the changed code' };
  const few = await goThrough(claim, tiny, Math.min(FEW, runs));
  return few.kind === 'unproven' && runs > FEW ? goThrough(claim, tiny, runs) : few;
}

/** At most `runs`. With 0, only tests if one run represents all. */
async function goThrough({ kernel, mutant }: Claim, { run, shape }: SubjectForm, runs: number): Promise<Proof> {
  let isRight = true;
  const sizes: ProvenSize[] = [];
  const text = printModule(kernel);
  const program = async (backend: SimBackend): Promise<void> => {
    const recorded = recordKernels(swapKernel(backend, kernel, mutant.module));
    isRight &&= await run(recorded.backend, async () => undefined);
    for (const { module, ctas, blockThreads } of recorded.launched()) {
      if (printModule(module) === text) sizes.push({ ...shape, ctas, threads: blockThreads });
    }
  };
  try {
    const { verdict, proves } = await check(
      { ...shape, multimem: true, fuel: FUEL, strategy: 'exhaustive', bound: runs },
      program,
    );
    if (verdict !== 'clean' && verdict !== 'incomplete') return { kind: 'wrong', by: verdict };
    if (!isRight) return { kind: 'wrong', by: 'wrong-result' };
    const [size] = sizes;
    if (proves.kind === 'all schedules' && size !== undefined)
      return { kind: 'exhaustive', size, schedules: proves.count };
    return {
      kind: 'unproven',
      why: proves.kind === 'nothing' ? proves.bound : 'not all schedules were explored',
    };
  } catch (error) {
    if (isNcclError(error, 'NCCLTS_NOT_SUPPORTED')) return { kind: 'unproven', why: 'there is no exhaustive check' };
    return { kind: 'wrong', by: isNcclError(error) ? error.code : 'wrong-result' };
  }
}
