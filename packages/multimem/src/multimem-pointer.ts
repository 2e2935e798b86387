import { devComm, multimemHandle, window } from '@nccl-ts/devcomm';
import { addr, intrinsic, multicastPointer, typeParam, type DeviceFn } from '@nccl-ts/kernel';
import type { Multimem } from './multimem-module.ts';

/** @see {@link Multimem.pointer} */
export const pointer: DeviceFn<Multimem['pointer']> = intrinsic(
  {
    name: 'multimem.pointer',
    pure: true,
    use: { multicastPointer },
    params: { win: window, type: typeParam, offset: addr, handle: multimemHandle },
  },
  ({ multicastPointer }, { win, type, offset, handle }) => multicastPointer(win, type, offset, handle.mcBasePtr),
);

/** @see {@link Multimem.lsaPointer} */
export const lsaPointer: DeviceFn<Multimem['lsaPointer']> = intrinsic(
  {
    name: 'multimem.lsaPointer',
    pure: true,
    use: { multicastPointer },
    params: { win: window, type: typeParam, offset: addr, comm: devComm },
  },
  ({ multicastPointer }, { win, type, offset, comm }) =>
    multicastPointer(win, type, offset, comm.lsaMultimem.mcBasePtr),
);
