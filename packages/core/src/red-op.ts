/**
 * Reduction operators, with NCCL's integers.
 *
 * `Avg` divides the sum by the number of ranks.
 *
 * @see ncclRedOp_t
 */
export const RedOp: {
  readonly Sum: 0;
  readonly Prod: 1;
  readonly Max: 2;
  readonly Min: 3;
  readonly Avg: 4;
} = Object.freeze({ Sum: 0, Prod: 1, Max: 2, Min: 3, Avg: 4 });

export type RedOpName = keyof typeof RedOp;
export type RedOp = (typeof RedOp)[RedOpName];

const names: Readonly<Record<RedOp, RedOpName>> = Object.freeze({ 0: 'Sum', 1: 'Prod', 2: 'Max', 3: 'Min', 4: 'Avg' });

/** The name of an operator, such as `Sum`. */
export function redOpName(op: RedOp): RedOpName {
  return names[op];
}
