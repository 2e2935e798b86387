/** A way to sum the elements of all ranks, as a runnable program. */
export interface AlgorithmProgram {
  readonly name: string;
  readonly title: string;
  /** Bytes and steps, in a few sentences. */
  readonly about: string;
  readonly text: string;
}

/** The host program for the kernels that do not use LL flags. */
const host = (kernel: string): string => `
export async function host(comm: Communicator) {
  const count = 1024;
  const send = await comm.allocWindow(f32, count);
  const recv = await comm.allocWindow(f32, count);
  await send.write(new Float32Array(count).fill(comm.rank + 1));
  const dev = await comm.createDevComm({ lsaBarrierCount: 4 });
  await comm.launch(${kernel}, { grid: 4, block: 128 }, { comm: dev, send, recv, count });
  return (await recv.read()).slice(0, 4);
}
`;

const oneShot = `import { devComm, f32, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// Every rank loads all elements of all ranks, and sums them itself.
export const oneShot = kernel(
  { name: 'oneShot', use: { lsa }, params: { comm: devComm, send: window, recv: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, send, recv, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire'); // the elements of all ranks are there

    const mine = lsa.localPointer(recv, f32, 0);
    for (let i = threadIdx.x + blockDim.x * blockIdx.x; i < count; i += blockDim.x * gridDim.x) {
      let sum = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) sum += lsa.pointer(send, f32, 0, peer).load(i);
      mine.store(i, sum);
    }
    bar.sync(coopCta(), 'release'); // no rank still reads the elements of another one
  },
);
${host('oneShot')}`;

const twoShot = `import { devComm, f32, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// Every rank sums its share of the elements, and stores the sums to all ranks.
export const twoShot = kernel(
  { name: 'twoShot', use: { lsa }, params: { comm: devComm, send: window, recv: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, send, recv, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * comm.lsaSize);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * comm.lsaSize) {
      let sum = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) sum += lsa.pointer(send, f32, 0, peer).load(i);
      for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(recv, f32, 0, peer).store(i, sum);
    }
    bar.sync(coopCta(), 'acq_rel'); // the sums of all ranks are there
  },
);
${host('twoShot')}`;

const ring = `import { devComm, f32, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// Parts go around a ring: each rank loads from the rank before it alone.
export const ring = kernel(
  { name: 'ring', use: { lsa }, params: { comm: devComm, send: window, recv: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32, u32 }, { comm, send, recv, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    const n = u32(comm.lsaSize);
    const rank = u32(comm.lsaRank);
    const own = lsa.localPointer(send, f32, 0);
    const mine = lsa.localPointer(recv, f32, 0);
    const before = lsa.pointer(recv, f32, 0, (rank + n - 1) % n);
    const part = count / n;
    const first = threadIdx.x + blockDim.x * blockIdx.x;
    const step = blockDim.x * gridDim.x;

    for (let chunk = u32(0); chunk < n; chunk++) {
      for (let i = first; i < part; i += step) mine.store(chunk * part + i, own.load(chunk * part + i));
    }
    bar.sync(coopCta(), 'acq_rel');
    // After n - 1 steps, rank r has the sum of part r + 1.
    for (let k = u32(1); k < n; k++) {
      const at = ((rank + n - k) % n) * part;
      for (let i = first; i < part; i += step) mine.store(at + i, mine.load(at + i) + before.load(at + i));
      bar.sync(coopCta(), 'acq_rel');
    }
    // After n - 1 more, it has the sums of all parts.
    for (let k = u32(0); k < n - 1; k++) {
      const at = ((rank + n - k) % n) * part;
      for (let i = first; i < part; i += step) mine.store(at + i, before.load(at + i));
      bar.sync(coopCta(), 'acq_rel');
    }
  },
);
${host('ring')}`;

const ll = `import { f32, kernel, lsa, u32, vec, window, type Communicator } from 'nccl-ts';
import { devComm, llA2ACalcSlots, llA2ACreateRequirement, llA2AHandle, teamLsa } from '@nccl-ts/devcomm';
import { llA2A } from '@nccl-ts/ll-a2a';

// Every rank sends its elements to all, with flags beside them. Nobody waits at a barrier.
export const lowLatency = kernel(
  {
    name: 'lowLatency',
    use: { llA2A, lsa, teamLsa, F2: vec(f32, 2) },
    params: { comm: devComm, handle: llA2AHandle, send: window, recv: window, count: u32 },
  },
  ({ llA2A, lsa, teamLsa, F2, coopCta, threadIdx, blockIdx, blockDim, gridDim, lane }, { comm, handle, send, recv, count }) => {
    const team = teamLsa(comm);
    const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * blockDim.x);
    const own = lsa.localPointer(send, F2, 0);
    const mine = lsa.localPointer(recv, F2, 0);
    // A value is two elements: 8 bytes of data and 8 bytes of flags.
    for (let begin = blockIdx.x * blockDim.x; begin < count / 2; begin += gridDim.x * blockDim.x) {
      const i = begin + threadIdx.x;
      session.bcast(team.rank * blockDim.x + threadIdx.x, own.load(i));
      let sum = F2(0);
      for (let peer = 0; peer < team.nRanks; peer++) {
        const came = session.recv(F2, peer * blockDim.x + threadIdx.x);
        sum = F2(lane(sum, 0) + lane(came, 0), lane(sum, 1) + lane(came, 1));
      }
      mine.store(i, sum);
      session.endEpoch(coopCta());
    }
  },
);

export async function host(comm: Communicator) {
  const count = 1024;
  const send = await comm.allocWindow(f32, count);
  const recv = await comm.allocWindow(f32, count);
  await send.write(new Float32Array(count).fill(comm.rank + 1));
  const slots = llA2ACreateRequirement(4, llA2ACalcSlots(comm.nRanks * 128, 8));
  const dev = await comm.createDevComm({ resourceRequirementsList: [slots.requirement] });
  const handle = slots.handleOf(dev.plan.resources[0]);
  await comm.launch(lowLatency, { grid: 4, block: 128 }, { comm: dev, handle, send, recv, count });
  return (await recv.read()).slice(0, 4);
}
`;

export const algorithmPrograms: readonly AlgorithmProgram[] = [
  {
    name: 'one-shot',
    title: 'One shot',
    about:
      'Every rank loads all elements of every peer. This moves the most bytes, but all loads start at once: between two barriers there is only one trip to a peer.',
    text: oneShot,
  },
  {
    name: 'two-shot',
    title: 'Two shots',
    about:
      'Every rank loads its share from all peers, and stores the sums to all. With n ranks, each link carries one n-th of the elements twice: once for loads and once for stores.',
    text: twoShot,
  },
  {
    name: 'ring',
    title: 'A ring',
    about:
      'Parts of the data go from rank to rank, so each rank uses only one link. With n ranks there are 2 (n - 1) steps, each with a barrier, so small sums are slow.',
    text: ring,
  },
  {
    name: 'll',
    title: 'Flags next to the data (LL)',
    about:
      'Every rank stores its elements to all peers, with a flag next to each value. A receiver waits for the value itself. This moves twice the bytes of one shot, but needs no barrier.',
    text: ll,
  },
];

/** The sizes that the page compares, in elements. */
export const counts: readonly number[] = [1024, 4096, 16_384, 65_536];

/** The program with a different number of elements. */
export function withCount(text: string, count: number): string {
  return text.replace(/const count = \d+;/, `const count = ${count};`);
}
