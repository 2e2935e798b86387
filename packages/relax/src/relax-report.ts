import type { Finding } from '@nccl-ts/findings';
import type { SyncPlace } from './places.ts';
import type { Weakening } from './weakenings.ts';

/**
 * The judgement of a synchronization:
 *
 * - `needed`: without it, a check of the harness as it is finds an error;
 * - `removable`: every schedule of every input is right without it;
 * - `weaker`: the same with a weaker instruction in its place;
 * - `only here`: the harness as it is does not need it, but a larger program does;
 * - `rests on hardware`: the memory model needs it, and today's GPUs do not;
 * - `not judged`: `why` says why.
 */
export type Judgement = 'needed' | 'removable' | 'weaker' | 'only here' | 'rests on hardware' | 'not judged';

/** A synchronization and its judgement. */
export interface JudgedPlace {
  readonly place: SyncPlace;
  readonly judgement: Judgement;
  /** For `removable` and `weaker`: the instruction in its place. */
  readonly weakening?: Weakening;
  /** For `needed` and `only here`: the error of the weakest form, and the input that shows it. */
  readonly finding?: Finding;
  readonly input?: string;
  readonly why?: string;
}

/** An input, and if checks in it can judge. */
export interface JudgedInput {
  readonly name: string;
  /** Absent if the kernel as it is has a proof there. */
  readonly unusable?: string;
}

/** The result of `relax`. */
export interface RelaxReport {
  readonly places: readonly JudgedPlace[];
  readonly inputs: readonly JudgedInput[];
  /** The largest set of offers that was found to hold together, as indices of `places`. */
  readonly joint: readonly number[];
  /** The text with these, and its difference from the text as it is. Empty if there are none. */
  readonly text: string;
  readonly diff: string;
}
