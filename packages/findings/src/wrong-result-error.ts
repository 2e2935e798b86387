import { NcclError } from '@nccl-ts/core';

/** Memory that does not hold what a program expects, at one rank. */
export interface WrongResult {
  readonly rank: number;
  /** As findings name it: `'out'`. */
  readonly window: string;
  /** First byte that is wrong. */
  readonly offset: number;
  /** Bytes of the element that lies there. */
  readonly bytes: number;
  /** One sentence. */
  readonly message: string;
}

/**
 * A program has read the results of its launches, and they are wrong: in a check a finding, as what
 * a kernel does wrong.
 */
export class WrongResultError extends NcclError {
  readonly wrong: WrongResult;

  constructor(result: WrongResult) {
    super('NCCLTS_FAULT', result.message, { details: { ...result } });
    this.wrong = result;
  }
}

/** The wrong result that an error tells of, itself or by its cause. */
export function wrongResultOf(error: unknown): WrongResultError | undefined {
  if (error instanceof WrongResultError) return error;
  return error instanceof Error && error.cause !== undefined ? wrongResultOf(error.cause) : undefined;
}
