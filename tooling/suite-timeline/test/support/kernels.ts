import { barrier } from '@nccl-ts/barrier';
import type { Communicator } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Rank 0 puts `n` bytes to rank 1 with a signal, for which rank 1 waits. */
export const onePut = kernel(
  { name: 'onePut', use: { gin, teamWorld }, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, coopCta }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, win, 0, win, 0, n, gin.weakSignalInc(0));
    } else {
      net.waitSignal(coopCta(), 0, 1);
    }
  },
);

/** Rank 0 signals twice, with a put between; rank 1 waits for the first signal. */
export const twoSignals = kernel(
  { name: 'twoSignals', use: { gin, teamWorld }, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, coopCta }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.signal(teamWorld(comm), 1, gin.weakSignalInc(0));
      net.put(teamWorld(comm), 1, win, 0, win, 0, n, gin.weakSignalInc(0));
    } else {
      net.waitSignal(coopCta(), 0, 1);
    }
  },
);

/** A signal goes around the ring once. Each rank passes on the signal for which it waits. */
export const signalRing = kernel(
  { name: 'signalRing', use: { gin, teamWorld }, params: { comm: devComm } },
  ({ gin, teamWorld, coopCta, threadIdx }, { comm }) => {
    const net = gin.context(comm, 0);
    if (comm.rank > 0) net.waitSignal(coopCta(), 0, 1);
    if (threadIdx.x === 0 && comm.rank + 1 < comm.nRanks) {
      net.signal(teamWorld(comm), comm.rank + 1, gin.weakSignalInc(0));
    }
  },
);

export const allToAll = kernel(
  { name: 'ginAllToAll', use: { gin, teamWorld }, params: { comm: devComm, send: window, recv: window, n: u32 } },
  ({ gin, teamWorld, coopCta, threadIdx, blockDim }, { comm, send, recv, n }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const bar = gin.barrierSession(coopCta(), net, 'world', 0);
    const before = net.readSignal(0);
    bar.sync(coopCta(), 'acquire', 'none');
    for (let peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x) {
      net.put(world, peer, recv, comm.rank * n * 4, send, peer * n * 4, n * 4, gin.weakSignalInc(0));
    }
    net.waitSignal(coopCta(), 0, before + comm.nRanks);
    net.flush(coopCta());
  },
);

/** Runs an all-to-all of `n` u32 to each peer, twice. */
export async function runAllToAll(comm: Communicator, n: number): Promise<readonly number[]> {
  const send = await comm.allocWindow('u32', comm.nRanks * n);
  const recv = await comm.allocWindow('u32', comm.nRanks * n);
  await send.write(Uint32Array.from({ length: comm.nRanks * n }, (_, i) => comm.rank * 1000 + i));
  const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1, worldGinBarrierCount: 1 });
  for (let round = 0; round < 2; round++) {
    await comm.launch(allToAll, { grid: 1, block: 32 }, { comm: dev, send, recv, n });
  }
  await comm.synchronize();
  return [...(await recv.read())];
}

/**
 * Every rank sends its number to every other one, with stores within its domain and puts beyond,
 * between hybrid barriers.
 */
export const tellAll = kernel(
  {
    name: 'tellAll',
    use: { barrier, gin, lsa, teamWorld },
    params: { comm: devComm, told: window, seen: window, rounds: u32 },
  },
  ({ barrier, gin, lsa, teamWorld, coopCta, threadIdx, blockDim, i32, u32 }, { comm, told, seen, rounds }) => {
    const net = gin.context(comm, 0);
    const bar = barrier.session(coopCta(), net, 'world', 0);
    const first = comm.rank - comm.lsaRank;
    for (let round = u32(0); round < rounds; round++) {
      for (let peer = i32(threadIdx.x); peer < comm.nRanks; peer += i32(blockDim.x)) {
        const value = u32(comm.rank) + round * 100;
        if (peer >= first && peer < first + comm.lsaSize) lsa.peerPointer(told, u32, 0, peer).store(comm.rank, value);
        else net.putValue(teamWorld(comm), peer, told, comm.rank * 4, value);
      }
      bar.sync(coopCta(), 'acq_rel', 'put');
      for (let peer = i32(threadIdx.x); peer < comm.nRanks; peer += i32(blockDim.x)) {
        lsa
          .localPointer(seen, u32, 0)
          .store(round * u32(comm.nRanks) + u32(peer), lsa.localPointer(told, u32, 0).load(peer));
      }
      bar.sync(coopCta(), 'acq_rel', 'none');
    }
  },
);

export async function runTellAll(comm: Communicator, rounds = 3): Promise<readonly number[]> {
  const told = await comm.allocWindow('u32', comm.nRanks);
  const seen = await comm.allocWindow('u32', comm.nRanks * rounds);
  const dev = await comm.createDevComm({ ginConnectionType: 'full', barrierCount: 1 });
  await comm.launch(tellAll, { grid: 1, block: 32 }, { comm: dev, told, seen, rounds });
  await comm.synchronize();
  return [...(await seen.read())];
}
