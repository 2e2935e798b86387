import { deepEpBuffers, harness, i32, u8 } from '@nccl-ts/harness';

/**
 * Launches notify_dispatch<2> of DeepEP's legacy/intranode.cu: each rank sends `rank + peer + 1`
 * tokens to a peer, with the same number to each of its experts.
 */
export default harness({
  entry: 'intranode::notify_dispatch<2>',
  ranks: 2,
  grid: 3,
  block: 64,
  setup(rank) {
    const { ranks, nRanks, alloc } = rank;
    const tokens = 8;
    const sent = (from: number, to: number): number => from + to + 1;
    const perRank = alloc('num_tokens_per_rank', i32, nRanks, (to) => sent(rank.rank, to));
    const perExpert = alloc('num_tokens_per_expert', i32, nRanks, (to) => sent(rank.rank, to));
    const received = alloc('moe_recv_counter', i32, 1);
    const receivedPerExpert = alloc('moe_recv_expert_counter', i32, 1);
    const isTokenInRank = alloc('is_token_in_rank', u8, tokens * nRanks, () => 1);
    const channels = alloc('channel_prefix_matrix', i32, nRanks * 2);
    const prefix = alloc('rank_prefix_matrix_copy', i32, nRanks * nRanks);
    const { bufferPtrs, barrierSignalPtrs } = deepEpBuffers(rank, { bytes: 512 });
    const sum = (to: number, last: number): number =>
      ranks.filter((from) => from <= last).reduce((all, from) => all + sent(from, to), 0);
    return {
      args: [
        perRank,
        received,
        perExpert,
        receivedPerExpert,
        nRanks,
        tokens,
        2,
        isTokenInRank,
        channels,
        prefix,
        nRanks,
        1,
        bufferPtrs,
        barrierSignalPtrs,
        rank.rank,
      ],
      expect: () => [
        received.equals(() => sum(rank.rank, nRanks)),
        receivedPerExpert.equals(() => sum(rank.rank, nRanks)),
        // Only the column of the rank itself arrives.
        prefix.equals((i) => (i % nRanks === rank.rank ? sum(rank.rank, Math.floor(i / nRanks)) : 0)),
        channels.equals((i) => (i % 2 === 0 ? tokens / 2 : tokens)),
      ],
    };
  },
});
