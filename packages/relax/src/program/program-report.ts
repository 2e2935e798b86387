import type { Finding } from '@nccl-ts/findings';
import type { SiteChange } from '@nccl-ts/mutation';
import type { Edit } from '../edits.ts';
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

/** Offers that hold together, written in a file of the author. */
export interface WrittenOffers {
  readonly path: string;
  /** The changes of its text, the text with them, and the difference as a unified diff. */
  readonly edits: readonly Edit[];
  readonly text: string;
  readonly diff: string;
  /** The offers, as indices of `places`. */
  readonly offers: readonly number[];
}

/** The result of `relaxProgram`. */
export interface ProgramRelaxReport {
  readonly places: readonly JudgedProgramPlace[];
  readonly inputs: readonly JudgedInput[];
  /** The largest set of offers that was found to hold together, as indices of `places`. */
  readonly joint: readonly number[];
  /**
   * Those of `joint` that can be written in the author's text: statements that are left out, and
   * weaker orders that a call names. Empty without `textOf`.
   */
  readonly written: readonly WrittenOffers[];
}
