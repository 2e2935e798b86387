import { findingKey, type CheckReport, type Finding } from '@nccl-ts/findings';
import type { SimOptions } from '@nccl-ts/backend-sim';
import type { Deadline } from './deadline.ts';
import type { WorldProgram } from './run-once.ts';

/** A check in progress, shared by all of its phases. */
export interface CheckRequest {
  /** The machine and the seed. */
  readonly options: Omit<SimOptions, 'mode' | 'strategy'>;
  readonly program: WorldProgram;
  readonly deadline: Deadline;
  /** Receives findings as soon as they are made. */
  readonly news: News;
}

/** Reports each finding once, as soon as a phase of a check has made it. */
export class News {
  readonly #onFinding: ((finding: Finding) => void) | undefined;
  readonly #reported = new Set<string>();

  readonly #onPhase: ((phase: string) => void) | undefined;

  constructor(onFinding: ((finding: Finding) => void) | undefined, onPhase: ((phase: string) => void) | undefined) {
    this.#onFinding = onFinding;
    this.#onPhase = onPhase;
  }

  /** Starts a part of the check, which `phase` names in a few words. */
  begins(phase: string): void {
    this.#onPhase?.(phase);
  }

  report({ findings }: Pick<CheckReport, 'findings'>): void {
    for (const finding of findings) {
      const key = findingKey(finding);
      if (this.#reported.has(key)) continue;
      this.#reported.add(key);
      this.#onFinding?.(finding);
    }
  }
}

/** True if a report has an error, so that further schedules cannot change the verdict. */
export function isWrong({ verdict }: Pick<CheckReport, 'verdict'>): boolean {
  return verdict !== 'clean' && verdict !== 'incomplete';
}
