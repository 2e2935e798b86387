import { at as itemAt } from '@nccl-ts/core';
import { devComm, resourcePeerPointer, symPtr, team, window } from '@nccl-ts/devcomm';
import { i32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { trapCase } from '../fixture/trap-case.ts';

const outside = { check: 'bounds', code: 'NCCLTS_OUT_OF_BOUNDS' } as const;
const shape = { grid: 1, block: 1 };

const worldPeer = kernel(
  { name: 'worldPeerOutside', use: { lsa }, params: { win: window, out: window, n: i32 } },
  ({ lsa, u32 }, { win, out, n }) => {
    lsa.localPointer(out, u32, 0).store(0, lsa.peerPointer(win, u32, 0, n).load(0));
  },
);

export const peerOutsideDomain: Case<'traps/pointers/peer-outside-domain'> = trapCase({
  id: 'traps/pointers/peer-outside-domain',
  mirrors:
    'ncclGetPeerPointer of a world rank in another domain: the guide promises null, but the device code has no test',
  ...outside,
  ranks: [4],
  lsaSizes: [2],
  kernels: [worldPeer],
  prepare: async (comm) => ({ win: await comm.allocWindow('u32', 4), out: await comm.allocWindow('u32', 4) }),
  launch: async (comm, args, n) => comm.launch(worldPeer, shape, { ...args, n }),
  harmless: ({ rank }) => (rank < 2 ? [0, 1] : [2, 3]),
  harmful: ({ rank }) => [...(rank < 2 ? [2, 3] : [0, 1]), -1, 4],
});

const teamPeer = kernel(
  {
    name: 'teamPeerOutside',
    use: { lsa, resourcePeerPointer },
    params: { comm: devComm, at: symPtr(u32), of: team, handle: u32, n: i32 },
  },
  ({ lsa, resourcePeerPointer, u32 }, { comm, at, of, handle, n }) => {
    const o = at.localPtr();
    const peer = n % 100;
    if (n < 100) o.store(1, lsa.teamPointer(at.window, u32, 0, of, peer).load(0));
    else if (n < 200) o.store(1, at.teamPtr(of, peer).load(0));
    else o.store(1, resourcePeerPointer(comm, u32, handle, of, peer).load(0));
  },
);

export const teamPeerOutside: Case<'traps/pointers/team-peer-outside'> = trapCase({
  id: 'traps/pointers/team-peer-outside',
  mirrors: 'ncclGetPeerPointer, ncclSymPtr::peerPtr and ncclGetResourceBufferPeerPointer of a member in another domain',
  ...outside,
  ranks: [4],
  lsaSizes: [2],
  kernels: [teamPeer],
  prepare: async (comm) => {
    const dev = await comm.createDevComm({ resourceRequirementsList: [{ bufferSize: 64 }] });
    const win = await comm.allocWindow('u32', 4);
    return { comm: dev, at: win.symPtr(), of: comm.teamWorld(), handle: itemAt(dev.plan.resources, 0).bufHandle };
  },
  launch: async (comm, args, n) => comm.launch(teamPeer, shape, { ...args, n }),
  harmless: ({ rank }) => [rank, 100 + rank, 200 + rank],
  harmful: ({ rank }) => {
    const far = (rank + 2) % 4;
    return [far, 100 + far, 200 + far];
  },
});

const pastEnd = kernel({ name: 'symPtrPastEnd', params: { at: symPtr(u32), n: i32 } }, (_context, { at, n }) => {
  at.add(n).localPtr().store(0, 5);
});

export const symPtrPastEnd: Case<'traps/pointers/sym-ptr-past-end'> = trapCase({
  id: 'traps/pointers/sym-ptr-past-end',
  mirrors: 'ncclSymPtr moved out of its window',
  ...outside,
  ranks: [1],
  kernels: [pastEnd],
  prepare: async (comm) => comm.allocWindow('u32', 8),
  launch: async (comm, win, n) => comm.launch(pastEnd, shape, { at: win.symPtr(8), n }),
  harmless: () => [-2, 0, 5],
  harmful: () => [6, 4096],
});
