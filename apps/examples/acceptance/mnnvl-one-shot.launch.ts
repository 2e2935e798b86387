import { f32, harness, ptr, u32 } from '@nccl-ts/harness';
import { AllReduceKernelParams } from './mnnvl-params.ts';

/** 2, 4 or 8. The entry has the number too. */
const ranks = 2;

/**
 * FlashInfer's one-shot AllReduce over multicast memory. Negative zero means that the data has not
 * arrived, and launches take turns on three buffers.
 */
export default harness({
  entry: `oneshotAllreduceFusionKernelILh${ranks}E`,
  ranks,
  grid: 2,
  block: 4,
  launches: 4,
  setup({ rank, ranks: all, nRanks, alloc, peer, multicast }) {
    const [tokens, dim] = [2, 16];
    const input = alloc('shard', f32, tokens * dim, (i) => rank + i);
    const output = alloc('output', f32, tokens * dim);
    const words = nRanks * tokens * dim;
    const buffer = alloc('lamport', f32, 3 * words, () => -0);
    const flags = alloc('bufferFlags', u32, [0, 2, 4 * words, 1, 4 * words, 0, 0, 0, 0]);
    const params = AllReduceKernelParams({
      outputPtr: output,
      shardPtr: input,
      inputPtrs: alloc(
        'inputPtrs',
        ptr,
        all.map((r) => peer(buffer, r)),
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
      between: (launch: number) => input.write((i) => (launch + 1) * (rank + i)),
      expect: () => output.equals((i) => 4 * all.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
