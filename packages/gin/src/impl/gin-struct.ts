import { devComm, type DevComm } from '@nccl-ts/devcomm';
import { structParam, u32, type StructParam } from '@nccl-ts/kernel';

/** What a GIN context is made of. */
export interface GinParts {
  readonly comm: DevComm;
  /** Of the communicator's contexts. */
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
