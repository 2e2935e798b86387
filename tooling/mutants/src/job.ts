import type { DefaultVerdict } from './default-check.ts';
import type { Fate } from './fate.ts';
import type { Listing } from './listing.ts';
import type { Proof } from './outcome.ts';

/** A job for a worker. It opens a program before it tries its mutants. */
export type Job =
  | { readonly kind: 'open'; readonly subject: string; readonly kernels?: readonly string[] }
  | { readonly kind: 'try'; readonly subject: string; readonly kernel: string; readonly id: string }
  /** A job of the plain check: a mutant, or an unchanged program from a seed. */
  | { readonly kind: 'check'; readonly subject: string; readonly kernel: string; readonly id: string }
  | { readonly kind: 'check-clean'; readonly subject: string; readonly seed: number }
  | {
      readonly kind: 'prove';
      readonly subject: string;
      readonly kernel: string;
      readonly id: string;
      readonly runs: number;
    };

/** A worker's message. */
export type JobResponse =
  | { readonly kind: 'opened'; readonly listing: Listing }
  | { readonly kind: 'tried'; readonly fate: Fate }
  | { readonly kind: 'proven'; readonly equivalence: Proof }
  | { readonly kind: 'checked'; readonly verdict: DefaultVerdict }
  | { readonly kind: 'failed'; readonly why: string };
