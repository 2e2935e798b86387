import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';
import { AllReduceKernelParams } from './mnnvl-params.ts';

/** 2, 4 or 8. The entry has the number too. */
const ranks = 2;

/**
 * FlashInfer's two-shot AllReduce over multicast memory, with a token for each rank. A word that is
 * negative zero as an f32 has not arrived.
 */
export default harness({
  entry: `twoshotAllreduceKernelILh${ranks}E`,
  ranks,
  grid: ranks,
  block: 4,
  launches: 4,
  setup({ rank, ranks: all, nRanks, alloc, peer, multicast }) {
    const [tokens, dim] = [nRanks, 32];
    const input = alloc('shard', bf16, tokens * dim, (i) => rank + i);
    const output = alloc('output', bf16, tokens * dim);
    const stage = 2 * tokens * dim;
    const buffer = alloc('lamport', u32, (3 * stage) / 2, () => 0x8000_0000);
    const flags = alloc('bufferFlags', u32, [0, 2, 2 * stage, 2, stage, stage, 0, 0, 0]);
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
      between: () => input.write((i) => 2 * (rank + (i % 16))),
      expect: () => output.equals((i) => 2 * all.reduce((sum, r) => sum + r + (i % 16), 0)),
    };
  },
});
