import { at } from '@nccl-ts/core';
import { putSignal, signal, waitSignal } from '@nccl-ts/collectives';
import type { RankProgram } from './rank-program.ts';
import { firstWrong, inRounds, partsOf, UNTOUCHED, valueOf } from './transfer-data.ts';

const MOST = 700;

/** The number of elements from one rank to another: none, a few, or many. */
function countOf(from: number, to: number): number {
  return at([0, 3, MOST], (from + 2 * to) % 3);
}

/**
 * Every rank repeatedly puts to every rank, including itself, after the receiver has signalled that
 * there is room.
 */
export const putToAll: RankProgram = async (comm, element) => {
  const { rank, nRanks } = comm;
  const parts = await partsOf(comm, element, MOST);
  const peers = Array.from({ length: nRanks }, (_, peer) => ({ peer }));
  const move = async (): Promise<void> => {
    for (const { peer } of peers) await signal(comm, peer);
    await waitSignal(comm, peers);
    for (const { peer } of peers) {
      const [local, to] = [parts.from.symPtr(parts.at(peer)), parts.to.symPtr(parts.at(rank))];
      await putSignal(comm, local, countOf(rank, peer), peer, to);
    }
    await waitSignal(comm, peers);
  };
  return inRounds(parts, move, (place, round) => {
    const [peer, i] = [Math.floor(place / MOST), place % MOST];
    return i < countOf(peer, rank) ? valueOf(peer, rank, i, round) : UNTOUCHED;
  });
};

/** The puts of one rank. The peer waits for some of their signals, and then for all. */
const PUTS = 5;

/**
 * Every rank puts new data to the next rank each time, and that rank waits for the signals in two
 * parts.
 */
export const countedSignals: RankProgram = async (comm, element) => {
  const { rank, nRanks } = comm;
  const [before, next] = [(rank + nRanks - 1) % nRanks, (rank + 1) % nRanks];
  const from = await comm.allocWindow(element, 1);
  const to = await comm.allocWindow(element, PUTS);
  await to.write(Array.from({ length: PUTS }, () => UNTOUCHED));
  // A rank that puts has received the signal that allows it to overwrite the earlier data.
  await signal(comm, before);
  await waitSignal(comm, [{ peer: next }]);
  for (let i = 0; i < PUTS; i++) {
    await from.write([valueOf(rank, next, i, 0)]);
    await putSignal(comm, from, 1, next, to.symPtr((to.bytes / PUTS) * i));
  }
  await waitSignal(comm, [{ peer: before, opCount: 2 }]);
  await waitSignal(comm, [{ peer: before, opCount: PUTS - 2 }]);
  const problem = firstWrong(await to.read(), (i) => valueOf(before, rank, i, 0), 'at the end');
  await to.close();
  await from.close();
  return problem;
};
