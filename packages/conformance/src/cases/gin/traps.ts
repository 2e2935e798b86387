import type { Communicator, DevComm, Window } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin, type GinSharing } from '@nccl-ts/gin';
import { i32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { trapCase } from '../fixture/trap-case.ts';
import { connect, ginRequires, strictlyOrdered } from './connect.ts';

const use = { gin, teamWorld };
const misuse = { check: 'misuse', code: 'NCCLTS_MISUSE', requires: ginRequires } as const;
const single = { grid: 1, block: 1 };

interface TrapObjects {
  readonly comm: DevComm;
  readonly win: Window<'u64'>;
}

const requirements = { ginSignalCount: 2, ginCounterCount: 3, ginContextCount: 2 };

async function prepare(comm: Communicator): Promise<TrapObjects> {
  return { win: await comm.allocWindow('u64', 8, strictlyOrdered), comm: await connect(comm, requirements) };
}

const anyPeer = kernel(
  { name: 'anyPeer', use, params: { comm: devComm, win: window, n: i32 } },
  ({ gin, teamWorld, coopThread }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    net.put(teamWorld(comm), n, win, 0, win, 8, 8);
    net.flush(coopThread());
  },
);

export const peerOutsideTeam: Case<'gin/traps/peer-outside-team'> = trapCase({
  id: 'gin/traps/peer-outside-team',
  mirrors: 'a peer outside the team',
  ...misuse,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [anyPeer],
  prepare,
  launch: async (comm, args, n) => comm.launch(anyPeer, single, { ...args, n }),
  harmless: (comm) => [0, comm.nRanks - 1],
  harmful: (comm) => [comm.nRanks, -1, 1000],
});

export const peerOffRail: Case<'gin/traps/peer-off-rail'> = trapCase({
  id: 'gin/traps/peer-off-rail',
  mirrors: "with NCCL_GIN_CONNECTION_RAIL, a peer outside of the caller's rail",
  ...misuse,
  ranks: [2, 4],
  lsaSizes: [2],
  kernels: [anyPeer],
  prepare: async (comm) => ({
    win: await comm.allocWindow('u64', 8),
    comm: await comm.createDevComm({ ginConnectionType: 'rail', ginSignalCount: 1 }),
  }),
  launch: async (comm, args, n) => comm.launch(anyPeer, single, { ...args, n }),
  harmless: (comm) => [comm.rank % 2, comm.rank],
  harmful: (comm) => [(comm.rank + 1) % 2, comm.rank ^ 1],
});

export const peerOffStride: Case<'gin/traps/peer-off-stride'> = trapCase({
  id: 'gin/traps/peer-off-stride',
  mirrors: 'with NCCL_GIN_CONNECTION_CUSTOM_STRIDE, a peer at a distance that is not a multiple of the stride',
  ...misuse,
  requires: { ...misuse.requires, ncclVersion: 23102 },
  ranks: [4, 8],
  lsaSizes: [4],
  kernels: [anyPeer],
  prepare: async (comm) => ({
    win: await comm.allocWindow('u64', 8),
    comm: await comm.createDevComm({ ginConnectionType: 'customStride', ginCustomStride: 2, ginSignalCount: 1 }),
  }),
  launch: async (comm, args, n) => comm.launch(anyPeer, single, { ...args, n }),
  harmless: (comm) => [comm.rank ^ 2, comm.rank],
  harmful: (comm) => [comm.rank ^ 1, comm.rank ^ 3],
});

const anyFlush = kernel(
  { name: 'anyFlush', use, params: { comm: devComm, n: i32 } },
  ({ gin, teamWorld }, { comm, n }) => {
    const net = gin.context(comm, 0);
    net.wait(net.flushAsync(teamWorld(comm), n));
  },
);

/** Rank 0 lists all ranks. The last one lists none, and the others list rank 0 and themselves. */
function listOf({ rank, nRanks }: Communicator): readonly number[] {
  if (rank === 0) return Array.from({ length: nRanks }, (_, peer) => peer);
  return rank === nRanks - 1 ? [] : [0, rank];
}

/** By rank, the peers that the rank does not reach, though one of the two may list the other. */
const unlisted = [[3], [2, 3], [1, 3], [0, 3]] as const;
const listed = [[0, 1], [0, 1], [0, 2], []] as const;

const overLists = {
  ...misuse,
  requires: { ...misuse.requires, ncclVersion: 23206 },
  ranks: [4],
  lsaSizes: [2],
  prepare: async (comm: Communicator): Promise<TrapObjects> => ({
    win: await comm.allocWindow('u64', 8),
    comm: await comm.createDevComm({
      ginConnectionType: 'customArray',
      ginCustomArray: listOf(comm),
      ginSignalCount: 1,
    }),
  }),
  harmless: ({ rank }: Communicator): readonly number[] => listed[rank] ?? [],
  harmful: ({ rank }: Communicator): readonly number[] => unlisted[rank] ?? [],
} as const;

export const peerNotListed: Case<'gin/traps/peer-not-listed'> = trapCase({
  id: 'gin/traps/peer-not-listed',
  mirrors: 'with NCCL_GIN_CONNECTION_CUSTOM_ARRAY, a put to a peer that only one of the two lists, or neither',
  ...overLists,
  kernels: [anyPeer],
  launch: async (comm, args, n) => comm.launch(anyPeer, single, { ...args, n }),
});

export const flushNotListed: Case<'gin/traps/flush-not-listed'> = trapCase({
  id: 'gin/traps/flush-not-listed',
  mirrors: 'with NCCL_GIN_CONNECTION_CUSTOM_ARRAY, flushAsync for such a peer',
  ...overLists,
  kernels: [anyFlush],
  launch: async (comm, { comm: dev }, n) => comm.launch(anyFlush, single, { comm: dev, n }),
});

const anyContext = kernel(
  { name: 'anyContext', use, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, coopThread, i32 }, { comm, win, n }) => {
    const net = gin.context(comm, n / 4);
    if (n % 4 === 0) net.putValue(teamWorld(comm), comm.rank, win, 0, i32(5));
    else if (n % 4 === 1) net.waitSignal(coopThread(), 0, 0);
    else if (n % 4 === 2) net.flush(coopThread());
    else net.resetCounter(0);
  },
);

export const contextPastCount: Case<'gin/traps/context-past-count'> = trapCase({
  id: 'gin/traps/context-past-count',
  mirrors: 'ncclGin with an index that is not below ginContextCount',
  ...misuse,
  ranks: [1],
  kernels: [anyContext],
  prepare,
  launch: async (comm, args, n) => comm.launch(anyContext, single, { ...args, n }),
  harmless: () => [0, 1, 2, 3, 4, 5, 6, 7],
  harmful: () => [8, 9, 10, 11, 4000],
});

const anySignal = kernel(
  { name: 'anySignal', use, params: { comm: devComm, n: u32 } },
  ({ gin, teamWorld, coopThread, u32 }, { comm, n }) => {
    const net = gin.context(comm, 0);
    const signal = n / 8;
    const what = n % 8;
    if (what === 0) net.signal(teamWorld(comm), comm.rank, gin.weakSignalInc(signal));
    else if (what === 1) net.resetSignal(signal);
    else if (what === 2) net.waitSignal(coopThread(), signal, net.readSignal(0));
    else if (what === 3) net.increaseSignalShadow(signal, 0);
    else if (what === 4) net.waitSignalFollowShadow(coopThread(), signal, u32(0));
    else if (what === 5) net.waitSignalMeetShadow(coopThread(), signal);
    else net.signalShadowPtr(signal).store(0, 0);
    net.flush(coopThread());
  },
);

export const signalPastCount: Case<'gin/traps/signal-past-count'> = trapCase({
  id: 'gin/traps/signal-past-count',
  mirrors: 'a signal that is not below ginSignalCount: sent, waited for, reset, or counted with',
  ...misuse,
  ranks: [1],
  kernels: [anySignal],
  prepare,
  launch: async (comm, { comm: dev }, n) => comm.launch(anySignal, single, { comm: dev, n }),
  harmless: () => [0, 2, 3, 4, 5, 6, 8],
  harmful: () => [16, 17, 18, 19, 20, 21, 22, 8000],
});

const anyCounter = kernel(
  { name: 'anyCounter', use, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, coopThread }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    const counter = n / 4;
    const counted = { localAction: gin.weakCounterInc(counter) };
    if (n % 4 === 0) net.put(teamWorld(comm), comm.rank, win, 0, win, 8, 8, gin.weakSignalInc(0), counted);
    else if (n % 4 === 1) net.waitCounter(coopThread(), counter, 0);
    else if (n % 4 === 2) net.waitCounter(coopThread(), 0, net.readCounter(counter));
    else net.resetCounter(counter);
    net.flush(coopThread());
  },
);

export const counterPastCount: Case<'gin/traps/counter-past-count'> = trapCase({
  id: 'gin/traps/counter-past-count',
  mirrors: 'a counter that is not below ginCounterCount',
  ...misuse,
  ranks: [1],
  kernels: [anyCounter],
  prepare,
  launch: async (comm, args, n) => comm.launch(anyCounter, single, { ...args, n }),
  harmless: () => [0, 1, 2, 3, 8, 9, 11],
  harmful: () => [12, 13, 14, 15, 4000],
});

const mixing = kernel(
  { name: 'mixesChanges', use, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, coopThread }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    net.resetSignal(0);
    net.signal(world, comm.rank, gin.strongSignalInc(0));
    net.waitSignal(coopThread(), 0, 1);
    // 0: with a reset in between. 1: another signal. 2: another context. Otherwise: mixed.
    if (n === 0) net.resetSignal(0);
    if (n === 1) net.signal(world, comm.rank, gin.weakSignalAdd(1, 4));
    else if (n === 2) gin.context(comm, 1).signal(world, comm.rank, gin.weakSignalAdd(0, 4));
    else net.putValue(world, comm.rank, win, 0, comm.rank, gin.weakSignalAdd(0, 4));
    net.waitSignal(coopThread(), 0, 1);
  },
);

export const incAndAdd: Case<'gin/traps/inc-and-add'> = trapCase({
  id: 'gin/traps/inc-and-add',
  mirrors: 'SignalInc and SignalAdd on one signal, without a reset in between',
  ...misuse,
  ranks: [1, 2],
  lsaSizes: [1],
  kernels: [mixing],
  prepare,
  launch: async (comm, args, n) => comm.launch(mixing, single, { ...args, n }),
  harmless: () => [0, 1, 2],
  harmful: () => [3],
});

const addingAfterReset = kernel(
  { name: 'addsAfterReset', use, params: { comm: devComm, n: u32 } },
  ({ gin, teamWorld, coopThread }, { comm, n }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    for (let i = 0; i < 3; i++) {
      net.signal(world, comm.rank, gin.strongSignalInc(0));
      net.waitSignal(coopThread(), 0, 1);
      // A delayed signal would change the counter after the reset, which must not happen.
      if (n === 1) net.signal(world, comm.rank, gin.strongSignalInc(0), { aggregateRequests: true });
      net.resetSignal(0);
      net.signal(world, comm.rank, gin.weakSignalAdd(0, 7));
      net.waitSignal(coopThread(), 0, 7);
      net.resetSignal(0);
    }
  },
);

export const resetRace: Case<'gin/traps/reset-race'> = trapCase({
  id: 'gin/traps/reset-race',
  mirrors: 'resetSignal while a signal is on its way; with resets in order Inc and Add may take turns',
  ...misuse,
  ranks: [1],
  kernels: [addingAfterReset],
  // Delayed messages outlive the launch, so each launch has its own communicator.
  prepare: async () => {},
  launch: async (comm, _, n) => comm.launch(addingAfterReset, single, { comm: await connect(comm, requirements), n }),
  harmless: () => [0],
  harmful: () => [1],
});

const vaAnywhere = kernel(
  { name: 'vaAnywhere', use, params: { comm: devComm, win: window, other: window, n: u32 } },
  ({ gin, teamWorld, coopThread, addr }, { comm, win, other, n }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    if (n < 100) net.signal(world, comm.rank, gin.weakVASignalAdd(win, addr(n), 4));
    else net.signal(world, comm.rank, gin.weakVASignalAdd(other, addr(n - 100), 4));
    net.flush(coopThread());
  },
);

export const vaWithoutOrdering: Case<'gin/traps/va-without-ordering'> = trapCase({
  id: 'gin/traps/va-without-ordering',
  mirrors: 'a VA signal in a window without NCCL_WIN_STRICT_ORDERING',
  ...misuse,
  ranks: [1],
  kernels: [vaAnywhere],
  prepare: async (comm) => ({ ...(await prepare(comm)), other: await comm.allocWindow('u64', 8) }),
  launch: async (comm, args, n) => comm.launch(vaAnywhere, single, { ...args, n }),
  harmless: () => [0, 8, 56],
  harmful: () => [100, 108],
});

const touching = kernel(
  { name: 'touchesVASignal', use: { gin, teamWorld, lsa }, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, lsa, coopThread, u64 }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const word = lsa.localPointer(win, u64, 0);
    net.signal(world, comm.rank, gin.strongVASignalAdd(win, 16, 4));
    net.waitVASignal(coopThread(), win, 16, 4);
    // A store next to the word is allowed.
    word.store(n === 0 ? 1 : 2, 9);
    if (n === 1) word.store(0, net.readVASignal(win, 16));
    if (n === 2) net.signal(world, comm.rank, gin.strongVASignalAdd(win, 16, 4));
    net.resetVASignal(win, 16);
  },
);

export const vaTouched: Case<'gin/traps/va-touched'> = trapCase({
  id: 'gin/traps/va-touched',
  mirrors: 'a plain store to the word of a VA signal',
  ...misuse,
  ranks: [1],
  kernels: [touching],
  // The word is invalid afterwards, so each launch has another window.
  prepare: async (comm) => connect(comm, requirements),
  launch: async (comm, dev, n) => {
    const win = await comm.allocWindow('u64', 4, strictlyOrdered);
    await comm.launch(touching, single, { comm: dev, win, n });
  },
  harmless: () => [0],
  harmful: () => [1, 2, 3],
});

const sharedWrongly = (SHARING: GinSharing) =>
  kernel(
    { name: `wronglySharedBy_${SHARING}`, use: { gin, teamWorld, SHARING }, params: { comm: devComm, n: u32 } },
    ({ gin, teamWorld, SHARING, coopCta, threadIdx, blockIdx, u32 }, { comm, n }) => {
      // n = 0: a context for each CTA and one thread of it.
      const net = gin.context(comm, n === 0 ? blockIdx.x : u32(0), SHARING);
      if (n === 0 ? threadIdx.x === 1 : threadIdx.x < n) {
        net.signal(teamWorld(comm), comm.rank, gin.weakSignalInc(0));
      }
      net.flush(coopCta());
    },
  );

const wrongly = { cta: sharedWrongly('cta'), thread: sharedWrongly('thread') };

export const sharedByCtas: Case<'gin/traps/shared-by-ctas'> = trapCase({
  id: 'gin/traps/shared-by-ctas',
  mirrors: 'NCCL_GIN_RESOURCE_SHARING_CTA, and two CTAs',
  ...misuse,
  ranks: [1],
  kernels: [wrongly.cta],
  prepare,
  launch: async (comm, { comm: dev }, n) => comm.launch(wrongly.cta, { grid: 2, block: 4 }, { comm: dev, n }),
  harmless: () => [0],
  harmful: () => [1, 4],
});

export const sharedByThreads: Case<'gin/traps/shared-by-threads'> = trapCase({
  id: 'gin/traps/shared-by-threads',
  mirrors: 'NCCL_GIN_RESOURCE_SHARING_THREAD, and two threads',
  ...misuse,
  ranks: [1],
  kernels: [wrongly.thread],
  prepare,
  launch: async (comm, { comm: dev }, n) =>
    comm.launch(wrongly.thread, { grid: n === 0 ? 2 : 1, block: 4 }, { comm: dev, n }),
  harmless: () => [0, 1],
  harmful: () => [2, 4],
});

const strengthless = kernel(
  { name: 'notAskedFor', use, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, coopThread }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    if (n === 0) net.signal(world, comm.rank, gin.weakSignalInc(0));
    else if (n === 1) net.signal(world, comm.rank, gin.signalInc(0));
    else if (n === 2) net.signal(world, comm.rank, gin.strongSignalInc(0));
    else net.signal(world, comm.rank, gin.weakVASignalInc(win, 0));
    net.flush(coopThread());
  },
);

export const notAskedFor: Case<'gin/traps/not-asked-for'> = trapCase({
  id: 'gin/traps/not-asked-for',
  mirrors: 'strong or VA signals without ginStrongSignalsRequired or ginVaSignalsRequired',
  ...misuse,
  ranks: [1],
  kernels: [strengthless],
  prepare: async (comm) => ({
    win: await comm.allocWindow('u64', 8, strictlyOrdered),
    comm: await connect(comm, { ...requirements, ginStrongSignalsRequired: false, ginVaSignalsRequired: false }),
  }),
  launch: async (comm, args, n) => comm.launch(strengthless, single, { ...args, n }),
  harmless: () => [0, 1],
  harmful: () => [2, 3],
});
