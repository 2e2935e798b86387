import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';
import { AllReduceKernelParams } from './mnnvl-params.ts';

/** FlashInfer's two-shot AllReduce over multicast memory, with a token for each rank. */
export default harness({
  entry: 'twoshotAllreduceKernel',
  ranks: 2,
  grid: 2,
  block: 4,
  launches: 4,
  setup({ rank, ranks, nRanks, alloc, peer, multicast }) {
    const [tokens, dim] = [2, 32];
    const input = alloc('shard', bf16, tokens * dim, (i) => rank + i);
    const output = alloc('output', bf16, tokens * dim);
    const stage = 2 * tokens * dim;
    const buffer = alloc('lamport', bf16, 3 * stage, () => -0);
    const flags = alloc('bufferFlags', u32, [0, 2, 2 * stage, 2, stage, stage, 0, 0, 0]);
    const params = AllReduceKernelParams({
      outputPtr: output,
      shardPtr: input,
      inputPtrs: alloc(
        'inputPtrs',
        ptr,
        ranks.map((r) => peer(buffer, r)),
      ),
      mcastPtr: multicast(buffer),
      localBufferPtr: buffer,
      nRanks,
      rank,
      numTokens: tokens,
      tokenDim: dim,
      bufferFlags: flags,
    });
    return {
      args: [params],
      between: () => input.write((i) => 2 * (rank + (i % 16))),
      expect: () => output.equals((i) => 2 * ranks.reduce((sum, r) => sum + r + (i % 16), 0)),
    };
  },
});
