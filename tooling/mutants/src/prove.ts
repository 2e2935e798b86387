import { check } from '@nccl-ts/backend-sim';
import { isNcclError } from '@nccl-ts/core';
import type { ValidatedModule } from '@nccl-ts/ir';
import type { Mutant } from '@nccl-ts/mutation';
import { KernelRuns } from './kernel-runs.ts';
import type { Proof } from './outcome.ts';
import type { Subject } from './subject.ts';
import { swapKernel } from './swap-kernel.ts';
import { FUEL, type Trial } from './trial.ts';

/** What is to be proven: that a mutant of one kernel of a program is no worse than the kernel. */
export interface Claim {
  readonly subject: Subject;
  readonly kernel: ValidatedModule;
  readonly mutant: Mutant;
  readonly trials: readonly Trial[];
  /** The most runs. */
  readonly runs: number;
}

/** Goes through everything that can happen in the tiny form of a program with a mutant. */
export async function prove({ subject, kernel, mutant, trials, runs }: Claim): Promise<Proof> {
  const { run, shape } = subject.tiny ?? subject;
  // All runs of a program that never comes to what was changed show nothing.
  if (!(await new KernelRuns([{ run, shape }], kernel, trials).reaches(mutant))) {
    return { kind: 'unproven', why: 'the tiny form never runs what was changed' };
  }
  let isRight = true;
  try {
    const { verdict, proves } = await check(
      { ...shape, multimem: true, fuel: FUEL, strategy: 'exhaustive', bound: runs },
      async (backend) => {
        isRight &&= await run(swapKernel(backend, kernel, mutant.module), async () => undefined);
      },
    );
    if (verdict !== 'clean' && verdict !== 'incomplete') return { kind: 'wrong', by: verdict };
    if (!isRight) return { kind: 'wrong', by: 'wrong-result' };
    if (proves.kind === 'all schedules') return { kind: 'exhaustive', shape, schedules: proves.count };
    return {
      kind: 'unproven',
      why: proves.kind === 'nothing' ? proves.bound : 'not all schedules were gone through',
    };
  } catch (error) {
    if (isNcclError(error, 'NCCLTS_NOT_SUPPORTED')) return { kind: 'unproven', why: 'there is no exhaustive check' };
    return { kind: 'wrong', by: isNcclError(error) ? error.code : 'wrong-result' };
  }
}
