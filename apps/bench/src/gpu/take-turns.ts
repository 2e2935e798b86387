import type { MeasurementResponse } from './measuring-process.ts';

/** The results of contenders, by their names. */
export interface Turns {
  /** The microseconds of each round. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, number>>;
}

/**
 * Measures contenders in rounds, in which all take turns, every second time in the other order. One
 * with an error takes no more turns.
 */
export async function takeTurns(
  names: readonly string[],
  rounds: number,
  ask: (name: string, round: number) => Promise<MeasurementResponse>,
): Promise<Turns> {
  const times: Record<string, number[]> = {};
  const errors: Record<string, string> = {};
  const wrong: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      if (errors[name] !== undefined) continue;
      const answer = await ask(name, round);
      if (answer.error !== undefined) errors[name] = answer.error;
      if (answer.us !== undefined) (times[name] ??= []).push(answer.us);
      if (answer.wrong !== undefined && answer.wrong > 0) wrong[name] = answer.wrong;
    }
  }
  return { times, errors, wrong };
}
