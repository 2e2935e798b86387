import { array, ptr, struct, u64 } from '@nccl-ts/harness';
import type { Allocation, RankSetup } from '@nccl-ts/harness';

/** The ranks for which the tables of turbomind have room, and its channels. */
const maxRanks = 8;
const channels = 64;

/** turbomind::comm::SystemSemaphoreInfo. */
const SemaphoreInfo = struct({
  outbound: array(ptr, channels * maxRanks),
  inbound: array(ptr, channels * maxRanks),
  expected: array(u64, channels * maxRanks),
});

/** The table of semaphores that all kernels of turbomind take. */
export function semaphores(
  { rank, nRanks, alloc, peer }: Pick<RankSetup, 'rank' | 'nRanks' | 'alloc' | 'peer'>,
  used: number,
): Allocation {
  const words = alloc('semaphores', u64, channels * maxRanks, () => 0);
  const each = (of: (channel: number, r: number) => ReturnType<typeof peer>) =>
    Array.from({ length: channels * maxRanks }, (_, i) => {
      const [channel, r] = [Math.floor(i / maxRanks), i % maxRanks];
      return r < nRanks && channel < used ? of(channel, r) : null;
    });
  return alloc('semaphore_info', SemaphoreInfo, [
    {
      outbound: each((channel, r) => peer(words, r, 8 * (channel * maxRanks + rank))),
      inbound: each((channel, r) => peer(words, rank, 8 * (channel * maxRanks + r))),
      expected: Array.from({ length: channels * maxRanks }, () => 0),
    },
  ]);
}
