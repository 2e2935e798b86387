import { barrier } from '@nccl-ts/barrier';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32, u64, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Every rank sums its share of `count` floats, and stores the sums to all ranks over the old
 * values.
 */
export const allReduceInPlace: Kernel = kernel(
  { name: 'allReduceInPlace', use: { lsa }, params: { win: window, offset: u64, count: u32, comm: devComm } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { win, offset, count, comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * comm.lsaSize);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * comm.lsaSize) {
      let v = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) v += lsa.pointer(win, f32, offset, peer)[i]!;
      for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(win, f32, offset, peer)[i] = v;
    }
    bar.sync(coopCta(), 'release');
  },
);

/** Two halves of a barrier with seq_cst order, and one with a time-out. */
export const halves: Kernel = kernel(
  { name: 'halves', use: { lsa }, params: { comm: devComm, results: window } },
  ({ lsa, coopCta, threadIdx, blockIdx, u32 }, { comm, results }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.arrive(coopCta(), 'seq_cst');
    bar.wait(coopCta(), 'seq_cst');
    const late = bar.sync(coopCta(), 'acq_rel', 1000);
    lsa.localPointer(results, u32, 0)[threadIdx.x] = late;
  },
);

/**
 * A put with a counter and a strong signal, a barrier over the network, a get, and the wait that
 * each requires.
 */
export const requests: Kernel = kernel(
  { name: 'requests', use: { gin, teamWorld }, params: { comm: devComm, from: window, to: window } },
  ({ gin, teamWorld, coopCta }, { comm, from, to }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const action = { coop: coopCta(), localAction: gin.weakCounterInc(0) };
    net.put(world, next, to, 0, from, 0, 64, gin.strongSignalInc(0), action);
    net.waitSignal(coopCta(), 0, 1);
    net.waitCounter(coopCta(), 0, 1);
    coopCta().sync();
    net.resetSignal(0);
    const bar = gin.barrierSession(coopCta(), net, 'world', 0);
    bar.sync(coopCta(), 'acq_rel', 'putGet');
    net.get(world, next, to, 0, from, 0, 64);
    net.flush(coopCta());
  },
);

/** A barrier over ranks inside and outside the load-store domain. */
export const hybrid: Kernel = kernel(
  { name: 'hybrid', use: { barrier, gin }, params: { comm: devComm } },
  ({ barrier, gin, coopCta, blockIdx }, { comm }) => {
    const bar = barrier.session(coopCta(), gin.context(comm, 0), 'world', blockIdx.x);
    bar.sync(coopCta(), 'acq_rel', 'put');
  },
);
