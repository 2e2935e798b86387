import { NcclError } from '@nccl-ts/core';

/** A value that NCCL would not take. */
export function invalidArgument(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}

/** Calls that do not fit together. */
export function invalidUsage(message: string): NcclError {
  return new NcclError('NCCL_INVALID_USAGE', message);
}

export function notSupported(message: string): NcclError {
  return new NcclError('NCCLTS_NOT_SUPPORTED', message);
}

/** Another rank has failed. */
export function remoteError(message: string): NcclError {
  return new NcclError('NCCL_REMOTE_ERROR', message);
}

export function closed(message: string): NcclError {
  return new NcclError('NCCLTS_CLOSED', message);
}

export function aborted(message: string, cause: unknown): NcclError {
  return new NcclError('NCCLTS_ABORTED', message, { cause });
}

/**
 * @throws NcclError `NCCLTS_ABORTED` with the signal's reason as its cause, where it is aborted.
 */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted === true) throw aborted(`${what}: its signal was aborted.`, signal.reason);
}

/** A thrown value as text for another message. A program may throw any value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Ends several resources, each one even if others fail; then throws the errors. */
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
