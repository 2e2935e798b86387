import { devComm, team, window, type DevComm, type Window } from '@nccl-ts/devcomm';
import { addr, i32, intrinsic, windowPointer, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';

/**
 * `lsa.pointer(win, T, offset, peer)`: the address of byte `offset` of the window's copy at LSA
 * rank `peer`, as elements of type T.
 *
 * The arguments are not checked. For a peer outside 0 to `lsaSize` - 1, or past the window's end,
 * an access faults on the simulator and is undefined on GPUs.
 *
 * @see ncclGetLsaPointer
 */
export const pointer: DeviceFn<(win: Window, type: TypeFn, offset: number, peer: number) => Ptr> = intrinsic(
  {
    name: 'lsa.pointer',
    pure: true,
    use: { windowPointer },
    params: { win: window, type: { kind: 'type' }, offset: addr, peer: i32 },
  },
  ({ windowPointer }, win: Window, type: TypeFn, offset: number, peer: number) =>
    windowPointer(win, type, offset, peer),
);

/**
 * `lsa.peerPointer(win, T, offset, peer)`: like `lsa.pointer`, but for world rank `peer`, which
 * must be in the calling rank's LSA domain. NCCL's guide promises a null pointer for other ranks.
 * NCCL's device code has no such test, and neither has this function.
 *
 * @see ncclGetPeerPointer
 */
export const peerPointer: DeviceFn<(win: Window, type: TypeFn, offset: number, peer: number) => Ptr> = intrinsic(
  {
    name: 'lsa.peerPointer',
    pure: true,
    use: { windowPointer },
    params: { win: window, type: { kind: 'type' }, offset: addr, peer: i32 },
  },
  ({ windowPointer }, win: Window, type: TypeFn, offset: number, peer: number) =>
    windowPointer(win, type, offset, win.lsaRank + (peer - win.worldRank)),
);

/**
 * `lsa.canGetPeerPointer(comm, peer)`: true if `lsa.peerPointer` can reach world rank `peer`. It
 * can reach the calling rank too.
 *
 * The function is new in NCCL 2.32.6. Its documentation says only that it reports if a peer is
 * reachable by loads and stores. NCCL may reach more ranks than the LSA domain. Here only the
 * domain counts, on every backend and with every version.
 *
 * @see ncclDevCommCanGetPeerPointer
 */
export const canGetPeerPointer: DeviceFn<(comm: DevComm, peer: number) => boolean> = intrinsic(
  { name: 'lsa.canGetPeerPointer', pure: true, params: { comm: devComm, peer: i32 } },
  (_context, comm: DevComm, peer: number) => {
    const first = comm.rank - comm.lsaRank;
    return peer >= first && peer < first + comm.lsaSize;
  },
);

/**
 * `lsa.teamPointer(win, T, offset, team, peer)`: like `lsa.pointer`, for member `peer` of `team`.
 * The member must be in the calling rank's LSA domain, which is not checked.
 *
 * @see ncclGetPeerPointer, the overload with a team
 */
export const teamPointer: DeviceFn<(win: Window, type: TypeFn, offset: number, team: Team, peer: number) => Ptr> =
  intrinsic(
    {
      name: 'lsa.teamPointer',
      pure: true,
      use: { windowPointer },
      params: { win: window, type: { kind: 'type' }, offset: addr, team, peer: i32 },
    },
    ({ windowPointer }, win: Window, type: TypeFn, offset: number, of: Team, peer: number) =>
      windowPointer(win, type, offset, win.lsaRank + (peer - of.rank) * of.stride),
  );

/**
 * `lsa.localPointer(win, T, offset)`: the address in the calling rank's copy.
 *
 * @see ncclGetLocalPointer
 */
export const localPointer: DeviceFn<(win: Window, type: TypeFn, offset: number) => Ptr> = intrinsic(
  {
    name: 'lsa.localPointer',
    pure: true,
    use: { windowPointer },
    params: { win: window, type: { kind: 'type' }, offset: addr },
  },
  ({ windowPointer }, win: Window, type: TypeFn, offset: number) => windowPointer(win, type, offset, win.lsaRank),
);
