import { devComm, type DevComm } from '@nccl-ts/devcomm';
import { structParam, u32, type StructParam } from '@nccl-ts/kernel';

/** The fields of a GIN context. */
export interface GinParts {
  readonly comm: DevComm;
  /** The context's index in the communicator. */
  readonly index: number;
  /**
   * 0: any thread of the GPU may use the context at the same time, 1: those of one CTA, 2: one
   * thread.
   */
  readonly sharing: number;
}

/** A context as the functions take it that are its methods. */
export const ginStruct: StructParam<GinParts, never> = structParam({
  struct: 'Gin',
  fields: { comm: devComm, index: u32, sharing: u32 },
});
