import { array, harness, ptr, u64 } from '@nccl-ts/harness';

/** UlyssesPcieBarrier of FlashInfer: one lane for each peer, with votes, and a slot to abort. */
export default harness({
  kernel: 'flashinfer-ulysses-pcie.ptx',
  entry: 'UlyssesPcieBarrier',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 3,
  setup({ rank, nRanks, alloc, peers }) {
    const peers1 = alloc('peers1', u64, 64);
    const counter = alloc('counter', u64, 64);
    return {
      args: [peers1, array(ptr, 8)(peers(peers1)), nRanks, rank, counter],
      expect: () => peers1.equals(() => 3, { count: nRanks }),
    };
  },
});
