import type { Communicator, Window } from '@nccl-ts/communicator';
import { scalarInfo } from '@nccl-ts/core';
import type { TransferElement } from './rank-program.ts';

/** The number of rounds of a program. Each has different values. */
export const ROUNDS = 3;

/** The contents of elements that were not stored. */
export const UNTOUCHED = 200;

/**
 * Element `i` of the data from one rank to another in one round. It is never `UNTOUCHED`, and exact
 * in every type.
 */
export function valueOf(from: number, to: number, i: number, round: number): number {
  return (31 * from + 17 * to + 7 * i + 41 * round) % 199;
}

/** The windows to send from and to receive in. Each has `parts` parts of `most` elements. */
export interface Parts {
  readonly from: Window<TransferElement>;
  readonly to: Window<TransferElement>;
  readonly most: number;
  /** Bytes from the start of a window to element `i` of a part. */
  readonly at: (part: number, i?: number) => number;
  /** Fills the source with the values of `round`, and the destination with `UNTOUCHED`. */
  readonly fill: (round: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A part for each rank. */
export async function partsOf(comm: Communicator, element: TransferElement, most: number): Promise<Parts> {
  const { rank, nRanks } = comm;
  const size = nRanks * most;
  const from = await comm.allocWindow(element, size);
  const to = await comm.allocWindow(element, size);
  return {
    from,
    to,
    most,
    at: (part, i = 0) => scalarInfo[element].bytes * (part * most + i),
    fill: async (round) => {
      await from.write(Array.from({ length: size }, (_, i) => valueOf(rank, Math.floor(i / most), i % most, round)));
      await to.write(Array.from({ length: size }, () => UNTOUCHED));
    },
    close: async () => {
      await to.close();
      await from.close();
    },
  };
}

/** The first element of `values` that differs from `wanted`, or `undefined` if there is none. */
export function firstWrong(values: Iterable<number>, wanted: (i: number) => number, what: string): string | undefined {
  let i = 0;
  for (const value of values) {
    if (value !== wanted(i)) return `${what}: element ${i} is ${value}, not ${wanted(i)}`;
    i++;
  }
  return undefined;
}

/**
 * Moves parts repeatedly, with different values each time, and closes the windows. `wanted` returns
 * the expected element `i` of the received data.
 */
export async function inRounds(
  parts: Parts,
  move: () => Promise<void>,
  wanted: (i: number, round: number) => number,
): Promise<string | undefined> {
  let problem: string | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    await parts.fill(round);
    await move();
    problem ??= firstWrong(await parts.to.read(), (i) => wanted(i, round), `round ${round}`);
  }
  await parts.close();
  return problem;
}
