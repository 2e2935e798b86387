import { array, harness, ptr, struct, u64 } from '@nccl-ts/harness';

const PeerSignalPointers = struct({ values: array(ptr, 8) });

/** UlyssesPcieBarrier of FlashInfer: one lane for each peer, with votes, and a slot to abort. */
export default harness({
  kernel: 'flashinfer-ulysses-pcie.ptx',
  entry: 'UlyssesPcieBarrier',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 3,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const signals = alloc('signals', u64, 2 * nRanks, () => 0);
    const values = Array.from({ length: 8 }, (_, r) => (r < nRanks ? peer(signals, r) : null));
    const counter = alloc('counter', u64, 1, () => 0);
    return {
      args: [signals, PeerSignalPointers({ values }), nRanks, rank, counter],
      expect: () =>
        signals.equals(
          ranks.map(() => 3),
          { count: nRanks },
        ),
    };
  },
});
