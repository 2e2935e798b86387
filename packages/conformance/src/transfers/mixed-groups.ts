import { allGather, allReduce, group, recv, send } from '@nccl-ts/collectives';
import { RedOp } from '@nccl-ts/core';
import type { RankProgram } from './rank-program.ts';
import { firstWrong, partsOf, ROUNDS, valueOf } from './transfer-data.ts';

const COUNT = 37;
/** The offsets of the calls of the group within a part. */
const byteOffsets = { max: 0, min: COUNT, ring: 2 * COUNT } as const;

/**
 * Two reductions, a gather, a send and a receive in one group, with neighbouring memory. Then an
 * in-place reduction over all that they read.
 */
export const mixedGroups: RankProgram = async (comm, element) => {
  const { rank, nRanks } = comm;
  const [before, next] = [(rank + nRanks - 1) % nRanks, (rank + 1) % nRanks];
  const parts = await partsOf(comm, element, 3 * COUNT);
  const gathered = await comm.allocWindow(element, nRanks * COUNT);
  const ranks = Array.from({ length: nRanks }, (_, i) => i);
  const sent = (from: number, i: number, round: number): number => valueOf(from, 0, i, round);
  let problem: string | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    await parts.fill(round);
    const at = (i: number) => [parts.from.symPtr(parts.at(0, i)), parts.to.symPtr(parts.at(0, i))] as const;
    await group(comm, async () => {
      await allReduce(comm, ...at(byteOffsets.max), COUNT, RedOp.Max);
      await send(comm, at(byteOffsets.ring)[0], COUNT, next);
      await allGather(comm, at(byteOffsets.ring)[0], gathered, COUNT);
      await recv(comm, at(byteOffsets.ring)[1], COUNT, before);
      await allReduce(comm, ...at(byteOffsets.min), COUNT, RedOp.Min);
    });
    const [whole] = at(0);
    await allReduce(comm, whole, whole, 3 * COUNT, RedOp.Max);
    const most = (i: number): number => Math.max(...ranks.map((one) => sent(one, i, round)));
    const least = (i: number): number => Math.min(...ranks.map((one) => sent(one, i, round)));
    const wanted = (i: number): number =>
      i < byteOffsets.min ? most(i) : i < byteOffsets.ring ? least(i) : sent(before, i, round);
    const [got, all] = [await parts.to.read(), await gathered.read()];
    problem ??= firstWrong([...got].slice(0, 3 * COUNT), wanted, `round ${round}, received`);
    const place = (i: number): number => sent(Math.floor(i / COUNT), byteOffsets.ring + (i % COUNT), round);
    problem ??= firstWrong(all, place, `round ${round}, gathered`);
    problem ??= firstWrong([...(await parts.from.read())].slice(0, 3 * COUNT), most, `round ${round}, in place`);
  }
  await gathered.close();
  await parts.close();
  return problem;
};
