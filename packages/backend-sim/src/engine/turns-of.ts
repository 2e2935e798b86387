/** The cost of a turn that ends with a yield, in rounds of a loop. */
const ROUNDS_PER_TURN = 1024;

/** Returns the number of consecutive turns that a CTA may use up with this fuel. */
export function turnsOf(fuel: number): number {
  return Math.ceil(fuel / ROUNDS_PER_TURN);
}
