import { harness, ptr, struct, u32, u64 } from '@nccl-ts/harness';

const MoeEpWorldInfo = struct({ epSize: u32, epRank: u32 });
const MoeCommWorkspace = struct({ workspacePtr: ptr, rankStrideInU64: u64 });
const SendRecvDataInfo = struct({ vectorSizeInU64: u32, dataPacketCountPerVector: u32, vectorCountPerFifoEntry: u32 });
const SendRecvDispls = struct({ dataPtr: ptr, rankCountCumSum: ptr, rankLocalIndices: ptr, vectorStrideInU64: u32 });

/**
 * FlashInfer's all-to-all of experts. Each rank sends one vector to each rank, through FIFOs with
 * flags between the data.
 */
export default harness({
  kernel: 'alltoall.ptx',
  entry: 'moeAllToAllKernel',
  ranks: 2,
  grid: { x: 1, y: 1, z: 2 },
  // 64 threads for each rank: 8 of them for 8 ranks.
  block: { x: 64, y: 2 },
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer, rankStride }) {
    const words = 16;
    // A FIFO of 8 entries of 256 KiB for each peer, then 256 bytes of positions for each peer.
    const workspace = alloc('workspace', u64, (nRanks * (8 * 256 * 1024 + 256)) / 8);
    const sent = alloc('sent', u64, nRanks * words, (i) => 1000 * rank + i);
    const received = alloc('received', u64, nRanks * words);
    const counts = alloc(
      'rankCountCumSum',
      u32,
      ranks.map((r) => r + 1),
    );
    const indices = alloc('rankLocalIndices', u32, ranks);
    const displs = { rankCountCumSum: counts, rankLocalIndices: indices, vectorStrideInU64: words };
    return {
      args: [
        MoeEpWorldInfo({ epSize: nRanks, epRank: rank }),
        MoeCommWorkspace({ workspacePtr: peer(workspace, 0), rankStrideInU64: rankStride / 8n }),
        SendRecvDataInfo({ vectorSizeInU64: words, dataPacketCountPerVector: 1, vectorCountPerFifoEntry: 128 }),
        SendRecvDispls({ dataPtr: sent, ...displs }),
        SendRecvDispls({ dataPtr: received, ...displs }),
      ],
      expect: () => received.equals((i) => 1000 * Math.floor(i / words) + rank * words + (i % words)),
    };
  },
});
