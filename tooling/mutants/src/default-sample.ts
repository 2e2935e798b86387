import { lettersOf, type SubjectRecord } from './record.ts';

/** A mutant that is recorded as killed, by its index in the listing of its kernel. */
export interface KilledMutant {
  readonly kernel: string;
  /** The hash of the list of mutants to which the index belongs. */
  readonly ids: string;
  readonly index: number;
}

/** Mutants of one program that a process checks one after the other. */
export interface SamplePiece {
  readonly subject: string;
  /** All kernels of the program. */
  readonly kernels: readonly string[];
  readonly mutants: readonly KilledMutant[];
}

/** The number of mutants that a process takes at a time. */
const PIECE = 16;

/** The number of mutants that are recorded as killed. */
export function killedIn(records: readonly SubjectRecord[]): number {
  return records.reduce((sum, record) => sum + killedOf(record).length, 0);
}

export interface SampleOptions {
  /** @default all */
  readonly size?: number | undefined;
  readonly seed: number;
  /**
   * Programs that come first, with one mutant at a time. They are known to be slow, and should not
   * be the last ones.
   */
  readonly first?: readonly string[] | undefined;
}

/**
 * Draws a sample of the mutants that are recorded as killed. Equal seeds give equal samples. All
 * pieces except those of `first` are in random order, so that the finished ones are a sample even
 * if the time runs out.
 */
export function sampleOf(
  records: readonly SubjectRecord[],
  { size, seed, first = [] }: SampleOptions,
): readonly SamplePiece[] {
  const random = randomOf(seed);
  const all = records.flatMap((record) => killedOf(record).map((mutant) => ({ record, mutant })));
  const chosen = shuffled(all, random).slice(0, size);
  const bySubject = new Map<SubjectRecord, KilledMutant[]>();
  for (const { record, mutant } of chosen) {
    const mutants = bySubject.get(record);
    if (mutants === undefined) bySubject.set(record, [mutant]);
    else mutants.push(mutant);
  }
  const pieces = [...bySubject].flatMap(([{ subject, kernels }, mutants]) => {
    const most = first.includes(subject) ? 1 : PIECE;
    return Array.from({ length: Math.ceil(mutants.length / most) }, (_, i) => ({
      subject,
      kernels: kernels.map(({ kernel }) => kernel),
      mutants: mutants.slice(i * most, (i + 1) * most),
    }));
  });
  return shuffled(pieces, random).toSorted(
    (a, b) => Number(first.includes(b.subject)) - Number(first.includes(a.subject)),
  );
}

function killedOf({ kernels }: SubjectRecord): readonly KilledMutant[] {
  return kernels.flatMap((record) =>
    lettersOf(record).flatMap((letter, index) =>
      letter === 'k' || letter === 'a' ? [{ kernel: record.kernel, ids: record.ids, index }] : [],
    ),
  );
}

function shuffled<T>(values: readonly T[], random: () => number): readonly T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** Random numbers from 0 to 1, by mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
