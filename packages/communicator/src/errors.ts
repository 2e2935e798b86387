import { NcclError } from '@nccl-ts/core';

/** The error for a value that NCCL would not accept. */
export function invalidArgument(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}

/** The error for calls that do not fit together. */
export function invalidUsage(message: string): NcclError {
  return new NcclError('NCCL_INVALID_USAGE', message);
}

export function notSupported(message: string): NcclError {
  return new NcclError('NCCLTS_NOT_SUPPORTED', message);
}

/** The error if another rank has failed. */
export function remoteError(message: string): NcclError {
  return new NcclError('NCCL_REMOTE_ERROR', message);
}

export function closed(message: string): NcclError {
  return new NcclError('NCCLTS_CLOSED', message);
}

export function aborted(message: string, cause: unknown): NcclError {
  return new NcclError('NCCLTS_ABORTED', message, { cause });
}

/** @throws NcclError `NCCLTS_ABORTED` if the signal is aborted, with its reason as the cause. */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted === true) throw aborted(`${what}: its signal was aborted.`, signal.reason);
}

/** Converts a thrown value to text for another message. A program may throw any value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Runs several cleanups, each even if others fail, and then throws their errors. */
export async function settleAll(endings: readonly (() => Promise<unknown>)[], what: string): Promise<void> {
  const errors: unknown[] = [];
  for (const end of endings) {
    try {
      await end();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${what}: ${errors.length} things went wrong.`);
}
