import { devComm, type DevComm } from '@nccl-ts/devcomm';
import { structParam, u32, type StructParam } from '@nccl-ts/kernel';

/** The fields of a GIN context. */
export interface GinParts {
  readonly comm: DevComm;
  /** The context's index in the communicator. */
  readonly index: number;
  /**
   * 0 if any thread of the GPU may use the context at the same time, 1 for threads of one CTA, 2
   * for a single thread.
   */
  readonly sharing: number;
}

/** A context as its methods receive it. */
export const ginStruct: StructParam<GinParts, never> = structParam({
  struct: 'Gin',
  fields: { comm: devComm, index: u32, sharing: u32 },
});
