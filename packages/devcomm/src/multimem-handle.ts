import { addr, structParam, type StructParam } from '@nccl-ts/kernel';

/**
 * The start of the multicast addresses of some ranks. 0 is NCCL's null pointer, which a device
 * communicator has if multimem was not required. Kernels may only compare it with 0 and pass it on.
 *
 * @see ncclMultimemHandle
 */
export interface MultimemHandle {
  readonly mcBasePtr: number;
}

/** The parameter type for a multimem handle. */
export const multimemHandle: StructParam<MultimemHandle, MultimemHandle> = structParam({
  struct: 'MultimemHandle',
  fields: { mcBasePtr: addr },
});
