import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { blockRmsNorm } from './block-rms-norm.ts';
import { sumParts } from './sum-parts.ts';

/**
 * Like `rmsNormLsa`, but over the network and between all ranks. Each rank puts its parts of a
 * peer's tokens into the peer's `inbox`, one rank after the other. The peer sums and normalises
 * them there, and puts the result into the `data` of every rank.
 *
 * Both windows have room for all tokens. The CTAs divide the GIN contexts. Each CTA needs a world
 * GIN barrier, a signal, and at least nRanks - 1 threads.
 */
export const rmsNormGin = kernel(
  {
    name: 'rmsNormGin',
    use: { gin, lsa, teamWorld, blockRmsNorm, sumParts },
    params: { data: window, inbox: window, hidden: u32, eps: f32, comm: devComm },
  },
  (
    { gin, lsa, teamWorld, blockRmsNorm, sumParts, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 },
    { data, inbox, hidden, eps, comm },
  ) => {
    const net = gin.context(comm, blockIdx.x % comm.ginContextCount);
    const signal = blockIdx.x;
    const world = teamWorld(comm);
    const nRanks = u32(comm.nRanks);
    const before = net.readSignal(signal);

    const bar = gin.barrierSession(coopCta(), net, 'world', blockIdx.x);
    bar.sync(coopCta(), 'acquire', 'none');

    // This CTA of the peer normalises token `peer * gridDim.x + blockIdx.x` of `data`. This rank's
    // part of the token goes to the slot in `inbox` with this rank's number.
    const bytes = hidden * 4;
    const ownPlace = (u32(comm.rank) * gridDim.x + blockIdx.x) * bytes;
    for (let peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
      const theirToken = (peer * gridDim.x + blockIdx.x) * bytes;
      net.put(world, peer, inbox, ownPlace, data, theirToken, bytes, gin.weakSignalInc(signal));
    }
    net.waitSignal(coopCta(), signal, before + nRanks);

    const token = lsa.localPointer(inbox, f32, blockIdx.x * bytes);
    sumParts(token, nRanks, hidden * gridDim.x, hidden);
    blockRmsNorm(token, hidden, eps);

    // Waits until all ranks have all of their parts. Otherwise a result's signal would count as one
    // of a part. No flush is needed before results overwrite the source of the parts, because a
    // rank that sends a result has that part.
    bar.sync(coopCta(), 'release', 'none');
    for (let peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
      net.put(world, peer, data, ownPlace, inbox, blockIdx.x * bytes, bytes, gin.weakSignalInc(signal));
    }
    net.waitSignal(coopCta(), signal, before + 2 * nRanks);
    // So that the caller may overwrite `inbox`.
    net.flush(coopCta());
  },
);
