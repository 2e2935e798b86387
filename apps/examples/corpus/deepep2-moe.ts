import { bf16, f32, harness, i32, i64, u8 } from '@nccl-ts/harness';
import { requirements } from './deepep2-params.ts';

/** Tokens of each rank, elements of a token, experts, and experts of each token. */
const [tokens, hidden, experts, topK] = [4, 256, 4, 2];

/** The bytes of the buffer, and of the part of the workspace that the kernels use. */
const [bufferBytes, workspaceBytes] = [32_768, 16 + 3072 * 8 * 3 + 1024 * 4];

/**
 * A mixture of experts with DeepEP V2 on 2 ranks: dispatch, its epilogue, combine with the received
 * tokens as they are, and its epilogue. Each token comes back once from each rank that has one of
 * its experts.
 */
export const mixtureOfExperts = (transport: 'nvlink' | 'gin') =>
  harness({
    kernel: `deepep2-moe-${transport}.ptx`,
    kernels: {
      dispatch: { entry: '13dispatch_impl', grid: 2, block: 192, dynamicShared: 8192 },
      copy: { entry: 'dispatch_copy_epilogue_impl', grid: 2, block: 64, dynamicShared: 8192 },
      combine: { entry: '12combine_impl', grid: 2, block: 64, dynamicShared: 8192 },
      reduce: { entry: 'combine_reduce_epilogue_impl', grid: 2, block: 64, dynamicShared: 8192 },
    },
    ranks: 2,
    devComm: requirements(2, 3),
    setup({ rank, nRanks, alloc, peer, launch, devComm }) {
      const most = tokens * nRanks;
      const value = (from: number, i: number) => 8 * from + Math.floor(i / hidden) + (i % 4);
      const heap = alloc('heap', u8, bufferBytes + workspaceBytes);
      const workspace = peer(heap, rank, bufferBytes);
      const x = alloc('x', bf16, tokens * hidden, (i) => value(rank, i));
      const topKs = alloc('top-k', i64, tokens * topK, (i) => BigInt((Math.floor(i / topK) + (i % topK)) % experts));
      const weights = alloc('weights', f32, tokens * topK, () => 1);
      const slots = alloc('slots', i32, tokens * topK);
      const perRank = alloc('tokens per rank', i32, nRanks);
      const perExpert = alloc('tokens per expert', i32, experts / nRanks + 1);
      const received = alloc('received', bf16, most * hidden);
      const receivedTopKs = alloc('received top-k', i64, most * topK);
      const receivedWeights = alloc('received weights', f32, most * topK);
      const metadata = alloc('metadata', i32, most * (2 + topK));
      const combined = alloc('combined', bf16, tokens * hidden);
      const combinedWeights = alloc('combined weights', f32, tokens * topK);
      const routed = [x, null, topKs, weights, null, null, perRank, perExpert, null, slots, tokens, 0, 0];
      const copied = [received, null, receivedTopKs, receivedWeights, metadata, null, null, most, 0, 0, 0, rank];
      return {
        steps: [
          launch('dispatch', [...routed, devComm, heap, heap, workspace, null, rank]),
          launch('copy', [heap, workspace, perRank, perExpert, ...copied]),
          launch('combine', [received, receivedWeights, metadata, perRank, devComm, heap, heap, workspace, rank, most]),
          launch('reduce', [combined, combinedWeights, topKs, heap, null, null, tokens, 0, rank]),
        ],
        expect: () => [
          perRank.equals((i) => 3 * (i + 1)),
          perExpert.equals((i) => 4 * i),
          combined.equals((i) => (1 + (Math.floor(i / hidden) % 2)) * value(rank, i)),
        ],
      };
    },
  });
