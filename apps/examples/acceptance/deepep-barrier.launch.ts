import { deepEpBuffers, harness } from '@nccl-ts/harness';

/** Launches barrier<2> of DeepEP's legacy/intranode.cu. `entry` names the ranks: 2, 4 or 8. */
export default harness({
  entry: 'intranode::barrier<2>',
  ranks: 2,
  grid: 1,
  block: 32,
  setup(rank) {
    const { barrierSignalPtrs, barrierSignals } = deepEpBuffers(rank, { bytes: 128 });
    return { args: [barrierSignalPtrs, rank.rank], expect: () => barrierSignals.equals(() => 0) };
  },
});
