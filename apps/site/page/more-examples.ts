/** A kernel and its host with nothing of their own yet. */
export const beginning = `import { devComm, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// This runs in every thread of every rank.
export const mine = kernel(
  { name: 'mine', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win }) => {
    const next = (comm.lsaRank + 1) % comm.lsaSize;
    lsa.pointer(win, u32, 0, next).store(threadIdx.x, comm.lsaRank);
    lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');
  },
);

// This runs once for every rank. Without the word export, the page does not find it.
export async function host(comm: Communicator) {
  const win = await comm.allocWindow(u32, 32);
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(mine, { grid: 1, block: 32 }, { comm: dev, win });
  return (await win.read()).slice(0, 4);
}
`;

/** NCCL's GIN: puts over the network, and a signal that counts them. */
export const ginAllToAll = `import { devComm, gin, kernel, teamWorld, u32, window, type Communicator } from 'nccl-ts';

// Each rank puts one word to every rank. A signal at the receiver counts the puts that have arrived.
export const allToAll = kernel(
  { name: 'allToAll', use: { gin, teamWorld }, params: { comm: devComm, send: window, recv: window } },
  ({ gin, teamWorld, coopCta, threadIdx, blockDim, u32 }, { comm, send, recv }) => {
    const net = gin.context(comm, 0);
    const bar = gin.barrierSession(coopCta(), net, 'world', 0);
    const before = net.readSignal(0);
    bar.sync(coopCta(), 'acquire', 'none'); // no rank sends before its receiver has read the signal

    for (let peer = threadIdx.x; peer < u32(comm.nRanks); peer += blockDim.x) {
      net.put(teamWorld(comm), peer, recv, u32(comm.rank) * 4, send, peer * 4, 4, gin.weakSignalInc(0));
    }
    net.waitSignal(coopCta(), 0, before + comm.nRanks); // all words are here
    net.flush(coopCta()); // and the own ones have left
  },
);

export async function host(comm: Communicator) {
  const send = await comm.allocWindow(u32, comm.nRanks);
  const recv = await comm.allocWindow(u32, comm.nRanks);
  await send.write(Uint32Array.from({ length: comm.nRanks }, (_, peer) => comm.rank * 10 + peer));
  const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1, worldGinBarrierCount: 1 });
  await comm.launch(allToAll, { grid: 1, block: 32 }, { comm: dev, send, recv });
  return recv.read();
}
`;

/** The same without the wait for the peers' words. */
export const ginWithoutWait = ginAllToAll.replace(/    net\.waitSignal.*\n/, '').replace(/    const before.*\n/, '');

/** NCCL's LL protocol: each value comes with a flag beside it. */
export const lowLatency = `import { devComm, f32, kernel, llA2A, lsa, teamLsa, window, type Communicator } from 'nccl-ts';
import { llA2ACalcSlots, llA2ACreateRequirement, llA2AHandle } from '@nccl-ts/devcomm';

// A small AllReduce without barriers: a receiver waits for the value itself, which has a flag beside it.
export const smallAllReduce = kernel(
  { name: 'smallAllReduce', use: { llA2A, lsa, teamLsa }, params: { comm: devComm, handle: llA2AHandle, win: window } },
  ({ llA2A, lsa, teamLsa, coopCta, threadIdx, blockIdx, blockDim, f32 }, { comm, handle, win }) => {
    const team = teamLsa(comm);
    const mine = lsa.localPointer(win, f32, 0).offset(blockIdx.x * blockDim.x);
    const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * blockDim.x);
    session.bcast(team.rank * blockDim.x + threadIdx.x, mine.load(threadIdx.x));
    // The values of all ranks, four at a time.
    const sum = session.recvReduce(4, f32, threadIdx.x, team.nRanks, blockDim.x, (elt) => elt, (a, b) => a + b);
    mine.store(threadIdx.x, sum);
    session.endEpoch(coopCta());
  },
);

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(f32, 32);
  await win.write(new Float32Array(32).fill(comm.rank + 1));
  const slots = llA2ACreateRequirement(1, llA2ACalcSlots(comm.nRanks * 32, 4));
  const dev = await comm.createDevComm({ resourceRequirementsList: [slots.requirement] });
  const handle = slots.handleOf(dev.plan.resources[0]);
  await comm.launch(smallAllReduce, { grid: 1, block: 32 }, { comm: dev, handle, win });
  return (await win.read()).slice(0, 4);
}
`;

/** NCCL's functions that reduce and copy. */
export const reduceScatter = `import { devComm, f32, kernel, lsa, reduceCopy, u32, window, type Communicator } from 'nccl-ts';

// A ReduceScatter: each rank sums its part of the elements over all ranks.
export const sums = kernel(
  { name: 'sums', use: { lsa, reduceCopy }, params: { comm: devComm, src: window, dst: window, count: u32 } },
  ({ lsa, reduceCopy, coopCta, f32, u32 }, { comm, src, dst, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel'); // the sources are written
    const each = count / u32(comm.lsaSize);
    const first = each * u32(comm.lsaRank);
    const part = (peer: number) => lsa.pointer(src, f32, 0, peer).offset(first);
    reduceCopy.lsaReduceSum(coopCta(), part, comm.lsaSize, lsa.localPointer(dst, f32, 0), each);
    bar.sync(coopCta(), 'acq_rel'); // and no rank changes its source before all have read it
  },
);

export async function host(comm: Communicator) {
  const count = 256;
  const src = await comm.allocWindow(f32, count);
  const dst = await comm.allocWindow(f32, count / comm.nRanks);
  await src.write(new Float32Array(count).fill(comm.rank + 1));
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(sums, { grid: 1, block: 64 }, { comm: dev, src, dst, count });
  return (await dst.read()).slice(0, 4);
}
`;

/** Loads and stores within a node, and puts between nodes. */
export const twoNodes = `import { devComm, f32, gin, kernel, lsa, teamRail, u32, window, type Communicator } from 'nccl-ts';

// Two nodes: each rank sums over the ranks of its node, sends the sum to its partner on the other node
// (its rail), and adds what comes from there.
export const hierarchical = kernel(
  { name: 'hierarchical', use: { lsa, gin, teamRail }, params: { comm: devComm, data: window, sums: window, count: u32 } },
  ({ lsa, gin, teamRail, coopCta, threadIdx, blockDim, f32, u32 }, { comm, data, sums, count }) => {
    const rail = teamRail(comm);
    const net = gin.context(comm, 0);
    const node = lsa.barrierSession(coopCta(), comm, 0);
    const nodes = gin.barrierSession(coopCta(), net, 'rail', 0);
    const mine = lsa.localPointer(sums, f32, 0);

    for (let i = threadIdx.x; i < count; i += blockDim.x) {
      let sum = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) sum += lsa.pointer(data, f32, 0, peer).load(i);
      mine.store(i, sum);
    }
    const before = net.readSignal(0);
    coopCta().sync(); // all sums of this rank are there
    nodes.sync(coopCta(), 'acq_rel', 'none'); // and the partner is ready

    const partner = u32(1) - u32(rail.rank);
    if (threadIdx.x === 0) net.put(rail, partner, sums, count * 4, sums, 0, count * 4, gin.weakSignalInc(0));
    net.waitSignal(coopCta(), 0, before + 1);
    net.flush(coopCta());
    for (let i = threadIdx.x; i < count; i += blockDim.x) mine.store(i, mine.load(i) + mine.load(count + i));
    node.sync(coopCta(), 'acq_rel'); // no rank of the node changes its data before all have read it
  },
);

export async function host(comm: Communicator) {
  const count = 32;
  const data = await comm.allocWindow(f32, count);
  const sums = await comm.allocWindow(f32, 2 * count);
  await data.write(new Float32Array(count).fill(comm.rank + 1));
  const dev = await comm.createDevComm({
    lsaBarrierCount: 1, railGinBarrierCount: 1, ginSignalCount: 1, ginConnectionType: 'rail',
  });
  await comm.launch(hierarchical, { grid: 1, block: 32 }, { comm: dev, data, sums, count });
  return (await sums.read()).slice(0, 4);
}
`;

/** A fence that nothing needs, and barriers that are stronger than needed. */
export const needless = `import { devComm, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// Which of these two barriers and the fence are needed? The tab Relax finds out.
export const shift = kernel(
  { name: 'shift', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, threadIdx, fence, u32 }, { comm, win }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
    const right = lsa.pointer(win, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    right.store(threadIdx.x, comm.lsaRank * 100 + threadIdx.x);
    fence('acq_rel', 'system');
    bar.sync(coopCta(), 'acq_rel');
  },
);

// Relax runs the program with a larger scale too.
export async function host(comm: Communicator, { scale = 1 }) {
  const count = 64 * scale;
  const win = await comm.allocWindow(u32, count);
  await win.write(new Uint32Array(count));
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(shift, { grid: 1, block: count }, { comm: dev, win });
  return (await win.read()).slice(0, 4);
}
`;
