/**
 * How closely the simulator and the checker follow a construct of a program. Each table of
 * constructs has one for each row; `docs/reference/fidelity.md` lists them all.
 */
export type Fidelity = ExactFidelity | ApproximateFidelity | OpaqueFidelity;

/** The construct does what its specification says. */
export interface ExactFidelity {
  readonly kind: 'exact';
  /** The test that fails if it does not: a file of the repository. */
  readonly test: string;
}

/** The construct does something that machines need not do. */
export interface ApproximateFidelity {
  readonly kind: 'approximate';
  /** The thing, and the one that stands for it: `%smid as the block's index`. */
  readonly how: string;
  readonly errs: Errs;
}

/**
 * - `misses`: machines have behaviour that is not explored, so a fault may be missed.
 * - `invents`: what is explored need not occur on machines, so a finding may be false.
 * - `rounds`: a result may differ in its last bits, or a NaN in its payload. No order depends on
 *   it, and verdicts do not name it.
 */
export type Errs = 'misses' | 'invents' | 'rounds';

/**
 * The values that the construct computes are unknown. Without a test, nothing else is known of it
 * either, and it is refused.
 */
export interface OpaqueFidelity {
  readonly kind: 'opaque';
  /** The values: `the values of wgmma as unknown`. Of a refused construct, the reason. */
  readonly why: string;
  /** The test that fails if it does not read and write the bytes that it should. */
  readonly test?: string;
}

/** A row of a table, for lists of several tables. */
export interface FidelityRow {
  /** As users write it: `%smid`. */
  readonly construct: string;
  readonly fidelity: Fidelity;
}

export function exact(test: string): ExactFidelity {
  return Object.freeze({ kind: 'exact', test });
}

export function approximate(how: string, errs: Errs = 'misses'): ApproximateFidelity {
  return Object.freeze({ kind: 'approximate', how, errs });
}

export function opaque(why: string): OpaqueFidelity {
  return Object.freeze({ kind: 'opaque', why });
}

/** Values that are unknown, of a construct whose accesses are modelled. */
export function opaqueValues(why: string, test: string): OpaqueFidelity {
  return Object.freeze({ kind: 'opaque', why, test });
}
