import { bf16, i32, ptr } from '@nccl-ts/harness';
import type { Allocation, RankSetup } from '@nccl-ts/harness';

/** The 16 byte lines of each rank. */
export const linesPerRank = 32;

/**
 * The words before the flags of a buffer, which count the reductions, and the flags with the
 * counter of CTAs.
 */
const [ops, flagWords] = [32, 2 * 32 + 1];

/**
 * The arguments of Transformer Engine's reductions over userbuffers: op, the offset of the flags,
 * first rank, rank, step, first line, lines, the table of buffers, the handler, and the
 * timeout in cycles.
 */
export function userbuffers(
  { rank, ranks, nRanks, alloc, peer }: RankSetup,
  initial: (i: number) => number,
  firstLine: number,
) {
  const data = alloc('data', bf16, 8 * linesPerRank * nRanks, initial);
  const flags = alloc('flags', i32, ops + flagWords, () => 0);
  const table: Allocation = alloc('commbuff', ptr, [
    ...ranks.map((r) => peer(flags, r)),
    ...ranks.map((r) => peer(data, r)),
  ]);
  return { data, args: [0, ops, 0, rank, 1, firstLine, linesPerRank, table, nRanks, 1n << 40n] };
}
