import { barrier } from '@nccl-ts/barrier';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { blockRmsNorm } from './block-rms-norm.ts';
import { sumParts } from './sum-parts.ts';

/**
 * Like `rmsNormGin`, but stores data directly to ranks of the same domain. Each CTA needs a hybrid
 * barrier, a signal, and at least as many threads as there are domains minus one.
 */
export const rmsNormHybrid = kernel(
  {
    name: 'rmsNormHybrid',
    use: { barrier, gin, lsa, teamWorld, blockRmsNorm, sumParts },
    params: { data: window, inbox: window, hidden: u32, eps: f32, comm: devComm },
  },
  (
    { barrier, gin, lsa, teamWorld, blockRmsNorm, sumParts, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 },
    { data, inbox, hidden, eps, comm },
  ) => {
    const net = gin.context(comm, blockIdx.x % comm.ginContextCount);
    const signal = blockIdx.x;
    const world = teamWorld(comm);
    const nRanks = u32(comm.nRanks);
    const nRemote = nRanks - u32(comm.lsaSize);
    const firstLocal = u32(comm.rank - comm.lsaRank);
    const isRemote = (peer: number) => peer < firstLocal || peer >= firstLocal + u32(comm.lsaSize);
    const before = net.readSignal(signal);

    const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
    bar.sync(coopCta(), 'acq_rel', 'none');

    const bytes = hidden * 4;
    const ownPlace = (u32(comm.rank) * gridDim.x + blockIdx.x) * bytes;
    for (let peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
      const theirToken = (peer * gridDim.x + blockIdx.x) * bytes;
      if (isRemote(peer)) net.put(world, peer, inbox, ownPlace, data, theirToken, bytes, gin.weakSignalInc(signal));
    }
    for (let local = u32(0); local < u32(comm.lsaSize); local++) {
      const part = lsa.localPointer(data, f32, ((firstLocal + local) * gridDim.x + blockIdx.x) * bytes);
      const place = lsa.pointer(inbox, f32, ownPlace, local);
      for (let i = threadIdx.x; i < hidden; i += blockDim.x) place[i] = part[i]!;
    }
    // Parts from remote peers have arrived when the peers have signalled. Parts from local peers
    // have arrived when the domain has synchronized.
    net.waitSignal(coopCta(), signal, before + nRemote);
    bar.lsaBarrier().sync(coopCta(), 'acq_rel');

    const token = lsa.localPointer(inbox, f32, blockIdx.x * bytes);
    sumParts(token, nRanks, hidden * gridDim.x, hidden);
    blockRmsNorm(token, hidden, eps);

    // Waits until all ranks have all of their parts. Otherwise a result's signal would count as one
    // of a part. No flush is needed before results overwrite the source of the parts, because a
    // rank that sends a result has that part.
    bar.sync(coopCta(), 'release', 'none');
    for (let peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
      if (isRemote(peer)) {
        net.put(world, peer, data, ownPlace, inbox, blockIdx.x * bytes, bytes, gin.weakSignalInc(signal));
      }
    }
    for (let local = 0; local < comm.lsaSize; local++) {
      const place = lsa.pointer(data, f32, ownPlace, local);
      for (let i = threadIdx.x; i < hidden; i += blockDim.x) place[i] = token[i]!;
    }
    net.waitSignal(coopCta(), signal, before + 2 * nRemote);
    // So that the caller may overwrite `inbox`.
    net.flush(coopCta());
    bar.lsaBarrier().sync(coopCta(), 'acq_rel');
  },
);
