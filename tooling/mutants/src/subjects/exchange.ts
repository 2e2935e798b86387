/** The size of an exchange. */
export interface ExchangeSize {
  readonly ctas: number;
  readonly threads: number;
  readonly rounds: number;
  /** The number of consecutive launches. Barriers keep their epochs between them. */
  readonly launches: number;
}

/** The sum of each thread, one CTA after the other. */
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
