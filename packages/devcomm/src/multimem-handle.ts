import { addr, structParam, type StructParam } from '@nccl-ts/kernel';

/**
 * Names the ranks that multicast addresses reach together: where their addresses begin. 0 is NCCL's
 * null pointer, which a device communicator has where it was not asked for multimem. To be compared
 * with 0 and passed on, no more.
 *
 * @see ncclMultimemHandle
 */
export interface MultimemHandle {
  readonly mcBasePtr: number;
}

/** The type of a parameter that takes a multimem handle. */
export const multimemHandle: StructParam<MultimemHandle, MultimemHandle> = structParam({
  struct: 'MultimemHandle',
  fields: { mcBasePtr: addr },
});
