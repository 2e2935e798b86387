import { devComm, ginBarrierCreateRequirement, ginBarrierHandle, team, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import type { Case } from '../../case.ts';
import { trapCase } from '../fixture/trap-case.ts';
import { connect, ginRequires, strictlyOrdered } from './connect.ts';

const misuse = { check: 'misuse', code: 'NCCLTS_MISUSE', requires: ginRequires } as const;

const outside = kernel(
  { name: 'putOutside', use: { gin, teamWorld }, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, coopThread, addr, u64 }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const at = addr(n / 8);
    const what = n % 8;
    if (what === 0) net.put(world, next, win, at, win, 0, 16);
    else if (what === 1) net.put(world, next, win, 0, win, at, 16);
    else if (what === 2) net.put(world, next, win, 0, win, 0, at + 16);
    else if (what === 3) net.putValue(world, next, win, at + 8, u64(7));
    else if (what === 4) net.get(world, next, win, at, win, 0, 16);
    else if (what === 5) net.get(world, next, win, 0, win, at, 16);
    else net.signal(world, next, gin.weakVASignalInc(win, at + 8));
    net.flush(coopThread());
  },
);

export const outsideWindow: Case<'gin/traps/outside-window'> = trapCase({
  id: 'gin/traps/outside-window',
  mirrors: 'a put, get or VA signal past the end of a window, local or remote',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  requires: ginRequires,
  ranks: [1, 2],
  lsaSizes: [1],
  kernels: [outside],
  prepare: async (comm) => ({ win: await comm.allocWindow('u8', 64, strictlyOrdered), comm: await connect(comm) }),
  launch: async (comm, args, n) => comm.launch(outside, { grid: 1, block: 1 }, { ...args, n }),
  harmless: () => [0, 1, 2, 3, 4, 5, 8 * 48, 8 * 48 + 1, 8 * 48 + 2, 8 * 48 + 3, 8 * 48 + 4, 8 * 48 + 5],
  harmful: () => [8 * 49, 8 * 49 + 1, 8 * 49 + 2, 8 * 49 + 3, 8 * 49 + 4, 8 * 49 + 5, 8 * 56 + 6, 2 ** 32 - 8],
});

const misaligned = kernel(
  { name: 'misalignedVASignal', use: { gin, teamWorld }, params: { comm: devComm, win: window, n: u32 } },
  ({ gin, teamWorld, coopThread, addr }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    net.signal(teamWorld(comm), comm.rank, gin.weakVASignalInc(win, addr(n)));
    net.flush(coopThread());
  },
);

export const misalignedSignal: Case<'gin/traps/misaligned-signal'> = trapCase({
  id: 'gin/traps/misaligned-signal',
  mirrors: 'a VA signal at an offset that is not a multiple of 8 bytes',
  check: 'alignment',
  code: 'NCCLTS_MISALIGNED',
  requires: ginRequires,
  ranks: [1],
  kernels: [misaligned],
  prepare: async (comm) => ({ win: await comm.allocWindow('u8', 64, strictlyOrdered), comm: await connect(comm) }),
  launch: async (comm, args, n) => comm.launch(misaligned, { grid: 1, block: 1 }, { ...args, n }),
  harmless: () => [0, 8],
  harmful: () => [4, 1],
});

const anyBarrier = kernel(
  { name: 'anyGinBarrier', use: { gin }, params: { comm: devComm, n: u32 } },
  ({ gin, coopCta }, { comm, n }) => {
    const bar = gin.barrierSession(coopCta(), gin.context(comm, 0), 'world', n);
    bar.sync(coopCta(), 'acq_rel', 'none');
  },
);

export const barrierPastCount: Case<'gin/traps/barrier-past-count'> = trapCase({
  id: 'gin/traps/barrier-past-count',
  mirrors: 'ncclGinBarrierSession with an index past the existing signals',
  ...misuse,
  ranks: [1, 2, 4],
  kernels: [anyBarrier],
  prepare: async (comm) => connect(comm, { worldGinBarrierCount: 3, ginSignalCount: 5 }),
  launch: async (comm, dev, n) => comm.launch(anyBarrier, { grid: 1, block: 32 }, { comm: dev, n }),
  harmless: () => [0, 2],
  harmful: () => [3, 100, 2 ** 31],
});

const narrow = kernel(
  {
    name: 'narrowGinBarrier',
    use: { gin },
    params: { comm: devComm, of: team, handle: ginBarrierHandle },
  },
  ({ gin, coopCta }, { comm, of, handle }) => {
    const bar = gin.barrierSession(coopCta(), gin.context(comm, 0), 'world', 0, { team: of, handle });
    bar.sync(coopCta(), 'acq_rel', 'put');
  },
);

export const barrierTooNarrow: Case<'gin/traps/barrier-too-narrow'> = trapCase({
  id: 'gin/traps/barrier-too-narrow',
  mirrors: 'ncclGinBarrierSession::sync of R ranks by fewer than R - 1 threads',
  ...misuse,
  ranks: [3, 4, 6],
  kernels: [narrow],
  prepare: async (comm) => {
    const of = comm.teamWorld();
    const { requirement, handleOf } = ginBarrierCreateRequirement(of, 1);
    const dev = await connect(comm, { resourceRequirementsList: [requirement] });
    const [resource] = dev.plan.resources;
    if (resource === undefined) throw new Error('The plan has no resource for its requirement.');
    return { comm: dev, of, handle: handleOf(resource) };
  },
  launch: async (comm, args, n) => comm.launch(narrow, { grid: 1, block: n }, args),
  harmless: (comm) => [comm.nRanks - 1, 32],
  harmful: (comm) => [comm.nRanks - 2, 1],
});
