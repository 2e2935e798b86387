/** The size of an exchange. */
export interface ExchangeSize {
  readonly ctas: number;
  readonly threads: number;
  readonly rounds: number;
  /** One after the other: barriers keep their epochs. */
  readonly launches: number;
}

/** The sum that each thread of each CTA has, one CTA after the other. */
export function exchanged(ranks: number, { ctas, threads, rounds }: Omit<ExchangeSize, 'launches'>): readonly number[] {
  return Array.from({ length: ctas * threads }, (_, i) => {
    let sum = 0;
    for (let round = 0; round < rounds; round++) {
      for (let from = 0; from < ranks; from++) sum += (from + 1) * 1000 + round * 100 + (((i % threads) + 1) % threads);
    }
    return sum;
  });
}

export function sameWords(got: ArrayLike<number>, expected: readonly number[]): boolean {
  return got.length === expected.length && expected.every((word, i) => got[i] === word);
}
