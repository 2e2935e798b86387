/** Matches names of parameters that are counts. */
const isCount =
  /^(n|num|count|counts|size|len|length|elements?|elems?|items?|rounds?|iterations?|steps?)$|(Count|Size|Length|Elements|Elems|Items|Rounds|Iterations|Steps)$|^n[A-Z]/;

/**
 * Returns the integers above 1 among the values of `--arg` whose names suggest counts, such as
 * `count`, `n` and `elements`.
 */
export function countArguments(values: ReadonlyMap<string, string>): Readonly<Record<string, number>> {
  const counts = [...values].filter(([name, text]) => isCount.test(name) && /^\d+$/.test(text) && Number(text) > 1);
  return Object.fromEntries(counts.map(([name, text]) => [name, Number(text)]));
}
