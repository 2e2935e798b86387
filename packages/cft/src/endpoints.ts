import { devComm, team, teamRankToWorld, window, type DevComm, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, i32, intrinsic, ptr, u64, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { leBaseOf, leIdOf } from './impl/primitives.ts';
import type { Cft } from './cft-module.ts';
import { logicalEndpoint } from './logical-endpoint.ts';

const into = ptr(u64);

/** Like `leInfo`, but stores the number and the offset at `into`. */
const findTeam: DeviceFn<(into: Ptr, win: Window, offset: number, peer: number, of: Team, comm: DevComm) => void> =
  intrinsic(
    {
      name: 'cft.leInfo',
      use: { leIdOf, leBaseOf, teamRankToWorld },
      params: { into, win: window, offset: addr, peer: i32, of: team, comm: devComm },
    },
    ({ leIdOf, leBaseOf, teamRankToWorld, requires, i32, u64 }, { into, win, offset, peer, of, comm }) => {
      requires(
        comm.cftSize > 0,
        "logical endpoints, but the device communicator was made without any: createDevComm({ cftCaps: 'cft' })",
      );
      requires(
        peer >= 0 && peer < of.nRanks,
        'peer {} of a logical endpoint: the ranks of its team are 0 to {}',
        peer,
        of.nRanks - 1,
      );
      into.store(0, u64(leIdOf(win, 'unicast', i32(teamRankToWorld(comm, of, peer)))));
      into.store(1, u64(leBaseOf(win)) + u64(offset));
    },
  );

/** Like `peerLeInfo`, but stores the number and the offset at `into`. */
const findPeer: DeviceFn<(into: Ptr, win: Window, offset: number, peer: number, comm: DevComm) => void> = intrinsic(
  {
    name: 'cft.peerLeInfo',
    use: { leIdOf, leBaseOf },
    params: { into, win: window, offset: addr, peer: i32, comm: devComm },
  },
  ({ leIdOf, leBaseOf, requires, u64 }, { into, win, offset, peer, comm }) => {
    requires(
      comm.cftSize > 0,
      "logical endpoints, but the device communicator was made without any: createDevComm({ cftCaps: 'cft' })",
    );
    requires(
      peer >= 0 && peer < comm.nRanks,
      'peer {} of a logical endpoint: the ranks of the world are 0 to {}',
      peer,
      comm.nRanks - 1,
    );
    into.store(0, u64(leIdOf(win, 'unicast', peer)));
    into.store(1, u64(leBaseOf(win)) + u64(offset));
  },
);

/** Like `multimemLeInfo`, but stores the number and the offset at `into`. */
const findMultimem: DeviceFn<(into: Ptr, win: Window, offset: number, comm: DevComm) => void> = intrinsic(
  {
    name: 'cft.multimemLeInfo',
    use: { leIdOf, leBaseOf },
    params: { into, win: window, offset: addr, comm: devComm },
  },
  ({ leIdOf, leBaseOf, requires, u64 }, { into, win, offset, comm }) => {
    requires(
      comm.cftMultimemSize > 0,
      "a multicast endpoint, but the device communicator was made without one: createDevComm({ cftCaps: 'cftMultimem' })",
    );
    into.store(0, u64(leIdOf(win, 'multicast', comm.rank - comm.cftMultimemRank)));
    into.store(1, u64(leBaseOf(win)) + u64(offset));
  },
);

/** @see {@link Cft.leInfo} */
export const leInfo: DeviceFn<Cft['leInfo']> = deviceFn(
  { name: 'cft.leInfo', use: { findTeam, LogicalEndpoint: logicalEndpoint } },
  ({ findTeam, LogicalEndpoint, localArray, u32, u64 }, win, offset, peer, of, comm) => {
    const words = localArray(u64, 2);
    findTeam(words, win, offset, peer, of, comm);
    return LogicalEndpoint({ leId: u32(words.load(0)), leOffset: words.load(1) });
  },
);

/** @see {@link Cft.peerLeInfo} */
export const peerLeInfo: DeviceFn<Cft['peerLeInfo']> = deviceFn(
  { name: 'cft.peerLeInfo', use: { findPeer, LogicalEndpoint: logicalEndpoint } },
  ({ findPeer, LogicalEndpoint, localArray, u32, u64 }, win, offset, peer, comm) => {
    const words = localArray(u64, 2);
    findPeer(words, win, offset, peer, comm);
    return LogicalEndpoint({ leId: u32(words.load(0)), leOffset: words.load(1) });
  },
);

/** @see {@link Cft.multimemLeInfo} */
export const multimemLeInfo: DeviceFn<Cft['multimemLeInfo']> = deviceFn(
  { name: 'cft.multimemLeInfo', use: { findMultimem, LogicalEndpoint: logicalEndpoint } },
  ({ findMultimem, LogicalEndpoint, localArray, u32, u64 }, win, offset, comm) => {
    const words = localArray(u64, 2);
    findMultimem(words, win, offset, comm);
    return LogicalEndpoint({ leId: u32(words.load(0)), leOffset: words.load(1) });
  },
);
