import { f32, harness, i32, ptr, u32, u8 } from '@nccl-ts/harness';
import type { HarnessArgument } from '@nccl-ts/harness';

/**
 * dispatchKernel<16, true, true> of pplx-kernels, between GPUs of one node. Two tokens of each rank
 * go to each expert, in any order, so all tokens have the same content.
 */
export default harness({
  kernel: 'pplx-intranode-dispatch.ptx',
  entry: 'dispatchKernelILj16ELb1ELb1E',
  ranks: 2,
  grid: 2,
  block: 64,
  dynamicShared: 64,
  launches: 1,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const [tokens, experts, perToken, hidden, scales] = [4, 4, 2, 32, 0];
    const local = experts / nRanks;
    const received = 2 * nRanks;
    // For each peer two flags, the counts, and the tokens with their index.
    const region = 16 + 16 + local * tokens * 48;
    const buffer = alloc('buffer', u8, nRanks * region, () => 0);
    const tables = [
      alloc(
        'send_buffers',
        ptr,
        ranks.map((r) => peer(buffer, rank, r * region)),
      ),
      alloc(
        'recv_buffers',
        ptr,
        ranks.map((r) => peer(buffer, r, rank * region)),
      ),
    ];
    const counts = alloc('num_tokens_per_expert', i32, local);
    const expertX = alloc('expert_x', u8, local * received * hidden);
    const dpX = alloc('dp_x', u8, tokens * hidden, (i) => i % hidden);
    const indices = alloc('indices', u32, tokens * perToken, (i) => (Math.floor(i / 2) + (i % 2)) % experts);
    const noScales = alloc('scales', f32, 1);
    const words = (name: string, n: number) => alloc(name, u32, n, () => 0);
    const sources = ['expert', 'index', 'offset', 'rank', 'token'].map((name) => words(`source_${name}`, 16));
    const output: HarnessArgument[] = [counts, 1, expertX, hidden, received * hidden, noScales, 1, 0, 0];
    const input = [dpX, hidden, noScales, 1, 0, indices, 1, perToken];
    const sizes = [tokens, experts, rank, nRanks, 1, hidden, scales, perToken, null, tokens];
    const counters = [words('token_count', experts), words('num_tokens_per_rank', local * nRanks)];
    return {
      args: output.concat(input, sizes, tables, counters, sources, words('global_token_index', 1)),
      expect: () => [counts.equals(() => received), expertX.equals((i) => i % hidden)],
    };
  },
});
