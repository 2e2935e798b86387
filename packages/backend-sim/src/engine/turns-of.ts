/** The cost of a turn that a CTA gives up, in rounds of a loop. */
const ROUNDS_PER_TURN = 1024;

/** Turns in a row that a CTA may use up, with this fuel. */
export function turnsOf(fuel: number): number {
  return Math.ceil(fuel / ROUNDS_PER_TURN);
}
