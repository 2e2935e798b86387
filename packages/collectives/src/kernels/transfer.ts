import { symPtr, type SymPtr, type SymPtrArg } from '@nccl-ts/devcomm';
import { i32, structParam, u64, u8, type StructParam } from '@nccl-ts/kernel';

/**
 * A send or a receive of `bytes` bytes, as an argument of a launch. `peer` is a rank, or -1 for
 * none.
 */
export interface TransferArg {
  readonly data: SymPtrArg;
  readonly bytes: number;
  readonly peer: number;
}

/** A transfer as kernels see it. */
export interface Transfer {
  readonly data: SymPtr;
  readonly bytes: number;
  readonly peer: number;
}

/** The parameter type of a send or a receive. */
export const transfer: StructParam<Transfer, TransferArg> = structParam({
  struct: 'Transfer',
  fields: { data: symPtr(u8), bytes: u64, peer: i32 },
});
