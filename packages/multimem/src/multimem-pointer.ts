import { devComm, multimemHandle, window, type DevComm, type MultimemHandle, type Window } from '@nccl-ts/devcomm';
import { addr, intrinsic, multicastPointer, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';

/**
 * `multimem.pointer(win, T, offset, handle)`: the multicast address of byte `offset` of the window,
 * over the team that `handle` names, as elements of type T. Only `multimem.loadReduce`, `store` and
 * `reduce` may use it. A plain access is a fault on the simulator and undefined on GPUs. The caller
 * must be in the team.
 *
 * @returns null for a null handle.
 * @see ncclGetMultimemPointer
 */
export const pointer: DeviceFn<(win: Window, type: TypeFn, offset: number, handle: MultimemHandle) => Ptr> = intrinsic(
  {
    name: 'multimem.pointer',
    pure: true,
    use: { multicastPointer },
    params: { win: window, type: { kind: 'type' }, offset: addr, handle: multimemHandle },
  },
  ({ multicastPointer }, win: Window, type: TypeFn, offset: number, handle: MultimemHandle) =>
    multicastPointer(win, type, offset, handle.mcBasePtr),
);

/**
 * `multimem.lsaPointer(win, T, offset, comm)`: the multicast address over the LSA team.
 *
 * @returns null if the device communicator has no `lsaMultimem`.
 * @see ncclGetLsaMultimemPointer
 */
export const lsaPointer: DeviceFn<(win: Window, type: TypeFn, offset: number, comm: DevComm) => Ptr> = intrinsic(
  {
    name: 'multimem.lsaPointer',
    pure: true,
    use: { multicastPointer },
    params: { win: window, type: { kind: 'type' }, offset: addr, comm: devComm },
  },
  ({ multicastPointer }, win: Window, type: TypeFn, offset: number, comm: DevComm) =>
    multicastPointer(win, type, offset, comm.lsaMultimem.mcBasePtr),
);
