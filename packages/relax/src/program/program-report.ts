import type { Finding } from '@nccl-ts/findings';
import type { SiteChange } from '@nccl-ts/mutation';
import type { JudgedInput, Judgement } from '../relax-report.ts';
import type { ProgramPlace } from './program-places.ts';

/** A synchronization of a kernel and its judgement. */
export interface JudgedProgramPlace {
  readonly place: ProgramPlace;
  readonly judgement: Judgement;
  /** For `removable` and `weaker`: what is enough. */
  readonly to?: SiteChange;
  /** For `needed` and `only here`: the error of the nearest form, and the input that shows it. */
  readonly finding?: Finding;
  readonly input?: string;
  readonly why?: string;
}

/** The result of `relaxProgram`. */
export interface ProgramRelaxReport {
  readonly places: readonly JudgedProgramPlace[];
  readonly inputs: readonly JudgedInput[];
  /** The largest set of offers that was found to hold together, as indices of `places`. */
  readonly joint: readonly number[];
}
