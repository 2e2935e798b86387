import { NcclError } from '@nccl-ts/core';

/** Memory of one rank whose contents are not the expected ones. */
export interface WrongResult {
  readonly rank: number;
  /** The name in findings: `'out'`. */
  readonly window: string;
  /** The first wrong byte. */
  readonly offset: number;
  /** The size of the element in bytes. */
  readonly bytes: number;
  /** One sentence. */
  readonly message: string;
  /**
   * True if the kernels compute values that are unknown, so that the expected ones may be right. A
   * check is then incomplete.
   */
  readonly isUnknown?: true;
}

/** The results of a program's launches are wrong. In a check this is a finding about the kernel. */
export class WrongResultError extends NcclError {
  readonly wrong: WrongResult;

  constructor(result: WrongResult) {
    super(result.isUnknown === true ? 'NCCLTS_INCOMPLETE' : 'NCCLTS_FAULT', result.message, { details: { ...result } });
    this.wrong = result;
  }
}

/** Returns the wrong-result error in an error or its cause. */
export function wrongResultOf(error: unknown): WrongResultError | undefined {
  if (error instanceof WrongResultError) return error;
  return error instanceof Error && error.cause !== undefined ? wrongResultOf(error.cause) : undefined;
}
