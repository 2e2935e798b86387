import { deepEpBuffers, harness, i32 } from '@nccl-ts/harness';

/** Launches cached_notify_combine<2> of DeepEP's legacy/intranode.cu, with two channels. */
export default harness({
  entry: 'intranode::cached_notify_combine<2>',
  ranks: 2,
  grid: 3,
  block: 64,
  setup(rank) {
    const { nRanks, alloc } = rank;
    const tokens = 8;
    const head = alloc('send_head', i32, tokens * nRanks, (i) => (i % 3 === 0 ? -1 : i));
    const { bufferPtrs, barrierSignalPtrs } = deepEpBuffers(rank, { bytes: 512 });
    return { args: [bufferPtrs, head, 2, tokens, 16, barrierSignalPtrs, rank.rank] };
  },
});
