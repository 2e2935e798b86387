import { at } from '@nccl-ts/core';
import { group, recv, send } from '@nccl-ts/collectives';
import type { RankProgram } from './rank-program.ts';
import { firstWrong, inRounds, partsOf, ROUNDS, UNTOUCHED, valueOf } from './transfer-data.ts';

/**
 * The number of elements from one rank to another: none, a few, or more than one slot of a link.
 */
function countOf(from: number, to: number): number {
  return at([0, 3, 2048, 2049, 5001], (3 * from + to) % 5);
}

/**
 * Every rank repeatedly sends to every rank, including itself, in one group. The destinations are
 * not aligned.
 */
export const exchangeWithAll: RankProgram = async (comm, element) => {
  const { rank, nRanks } = comm;
  const parts = await partsOf(comm, element, countOf(0, 4) + 3);
  const exchange = async (): Promise<void> => {
    for (let peer = 0; peer < nRanks; peer++) {
      await recv(comm, parts.to.symPtr(parts.at(peer, 1)), countOf(peer, rank), peer);
      await send(comm, parts.from.symPtr(parts.at(peer)), countOf(rank, peer), peer);
    }
  };
  return inRounds(
    parts,
    async () => group(comm, exchange),
    (place, round) => {
      const [peer, i] = [Math.floor(place / parts.most), (place % parts.most) - 1];
      return i >= 0 && i < countOf(peer, rank) ? valueOf(peer, rank, i, round) : UNTOUCHED;
    },
  );
};

/**
 * A number of elements that fills all slots of a link many times, and is not a multiple of a slot.
 */
const MANY = 40_001;

/** Every rank sends more than a link can hold to the previous rank. */
export const fillLinks: RankProgram = async (comm, element) => {
  const { rank, nRanks } = comm;
  const [before, next] = [(rank + nRanks - 1) % nRanks, (rank + 1) % nRanks];
  const [from, to] = [await comm.allocWindow(element, MANY), await comm.allocWindow(element, MANY)];
  let problem: string | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    await from.write(Array.from({ length: MANY }, (_, i) => valueOf(rank, before, i, round)));
    await group(comm, async () => {
      await send(comm, from, MANY, before);
      await recv(comm, to, MANY, next);
    });
    problem ??= firstWrong(await to.read(), (i) => valueOf(next, rank, i, round), `round ${round}`);
  }
  await to.close();
  await from.close();
  return problem;
};

/**
 * Without groups, the lower of two ranks sends first, and the other receives first. A rank without
 * a partner is its own partner.
 */
export const takeTurns: RankProgram = async (comm, element) => {
  const { rank, nRanks } = comm;
  const half = Math.floor(nRanks / 2);
  const isAlone = rank >= 2 * half;
  const peer = isAlone ? rank : (rank + half) % (2 * half);
  const parts = await partsOf(comm, element, 100);
  const sending = async (): Promise<void> => send(comm, parts.from.symPtr(parts.at(peer)), 99, peer);
  const receiving = async (): Promise<void> => recv(comm, parts.to.symPtr(parts.at(0, 1)), 99, peer);
  const move = async (): Promise<void> => {
    for (const one of rank < half ? [sending, receiving] : [receiving, sending]) await one();
  };
  return inRounds(
    parts,
    async () => (isAlone ? group(comm, move) : move()),
    (i, round) => (i > 0 && i < 100 ? valueOf(peer, rank, i - 1, round) : UNTOUCHED),
  );
};
