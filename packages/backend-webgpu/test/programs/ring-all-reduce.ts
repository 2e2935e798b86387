import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** The number of chunks in flight from one rank to the next. */
export const DEPTH = 2;

/**
 * A ring AllReduce in 2(n - 1) steps through FIFOs. Each CTA passes a chunk to its right neighbour
 * in one of `DEPTH` slots, counts it there, and continues when the neighbour has acknowledged an
 * older one. Each CTA has its own piece.
 *
 * `data` has n chunks of `chunk` floats for each CTA, and `fifo` has `DEPTH` slots for each. For
 * each CTA, `counts` has the number of chunks that have come from the left, and the number that the
 * right neighbour has taken.
 */
export const ringThroughFifos = kernel(
  {
    name: 'ringThroughFifos',
    use: { lsa, DEPTH },
    params: { comm: devComm, data: window, fifo: window, counts: window, chunk: u32 },
  },
  (
    { lsa, DEPTH, coopCta, waitUntil, threadIdx, blockIdx, blockDim, f32, i32, u32 },
    { comm, data, fifo, counts, chunk },
  ) => {
    const rank = comm.lsaRank;
    const n = comm.lsaSize;
    const right = (rank + 1) % n;
    const left = (rank + n - 1) % n;
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    const mine = lsa.localPointer(data, f32, 0).offset(blockIdx.x * u32(n) * chunk);
    const inbox = lsa.localPointer(fifo, f32, 0).offset(blockIdx.x * DEPTH * chunk);
    const outbox = lsa.pointer(fifo, f32, 0, right).offset(blockIdx.x * DEPTH * chunk);
    const own = lsa.localPointer(counts, u32, 0).offset(blockIdx.x * 2);
    const toRight = lsa.pointer(counts, u32, 0, right).offset(blockIdx.x * 2);
    const toLeft = lsa.pointer(counts, u32, 0, left).offset(blockIdx.x * 2);
    bar.sync(coopCta(), 'acq_rel');

    for (let step = u32(0); step < 2 * u32(n - 1); step++) {
      const sent = u32((rank + 2 * n - i32(step)) % n) * chunk;
      const slot = (step % DEPTH) * chunk;
      waitUntil(() => own.load(1, 'acquire') + DEPTH > step);
      for (let i = threadIdx.x; i < chunk; i += blockDim.x) outbox.store(slot + i, mine.load(sent + i));
      coopCta().sync();
      if (threadIdx.x === 0) toRight.store(0, step + 1, 'release');

      const taken = u32((rank + 2 * n - 1 - i32(step)) % n) * chunk;
      waitUntil(() => own.load(0, 'acquire') > step);
      for (let i = threadIdx.x; i < chunk; i += blockDim.x) {
        const came = inbox.load(slot + i);
        mine.store(taken + i, step < u32(n - 1) ? mine.load(taken + i) + came : came);
      }
      coopCta().sync();
      if (threadIdx.x === 0) toLeft.store(1, step + 1, 'release');
    }
    bar.sync(coopCta(), 'acq_rel');
  },
);
