import { addr, coopParam, primitive, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { devCommParam, type KernelDevComm } from './dev-comm.ts';
import { windowParam, type KernelWindow } from './window.ts';

const pointer = { kind: 'anyPointer', space: 'global' } as const;

/**
 * `findWindow(coop, comm, p)`: returns the window to which `p` points. The window can be passed on
 * like a parameter. The search covers the calling rank's own memory in all windows of the
 * communicator, including resource windows. It does not find pointers to peers' memory, or
 * multicast addresses. Each thread searches separately, whatever `coop` is.
 *
 * A pointer outside every window fails with `NCCLTS_MISUSE` on the simulator, and ends the kernel
 * on CUDA. WebGPU has no addresses to search, and refuses the kernel (K3506).
 *
 * @see ncclFindWindow
 */
export const findWindow: DeviceFn<(coop: CoopLike, comm: KernelDevComm, p: Ptr) => KernelWindow> = primitive({
  name: 'findWindow',
  params: { coop: coopParam, comm: devCommParam, p: pointer },
  result: windowParam,
});

/**
 * `windowOffset(comm, p)`: returns the byte offset of `p` in the window that `findWindow` finds.
 * Use it to reach the same byte at a peer: `lsa.pointer(findWindow(coop, comm, p), f32,
 * windowOffset(comm, p), peer)`. NCCL has no such function.
 */
export const windowOffset: DeviceFn<(comm: KernelDevComm, p: Ptr) => number> = primitive({
  name: 'windowOffset',
  params: { comm: devCommParam, p: pointer },
  result: addr,
});
