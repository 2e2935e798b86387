import { wordTable } from '@nccl-ts/core';
import { printError } from './print.ts';

/** The state of stdout and stderr. */
export interface WatchedOutput {
  /** True if output that still had a reader could not be written. */
  readonly hasFailed: boolean;
}

/**
 * Keeps the process running if its output cannot be written. If the reader has gone, as in
 * `nccl-ts check ... | head`, nothing else changes: files are still written, and the exit code
 * stays the same. `onFailure` is called once if the output cannot take more.
 */
export function watchOutput(
  { stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>,
  onFailure: () => void,
): WatchedOutput {
  let hasFailed = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || hasFailed) return;
    hasFailed = true;
    printError(`error: cannot write to stdout because ${failureText(error)}; what is there is not all\n`);
    onFailure();
  });
  // There is nowhere left to report it.
  stderr.on('error', () => undefined);
  return {
    get hasFailed() {
      return hasFailed;
    },
  };
}

const reasons: Readonly<Record<string, string>> = wordTable({
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota on that disk is used up',
  EFBIG: 'the file would exceed the size limit',
  EIO: 'the device fails',
});

/** Returns a reason such as `the disk is full (ENOSPC)`. */
export function failureText(error: NodeJS.ErrnoException): string {
  const reason = reasons[error.code ?? ''];
  return reason === undefined ? error.message : `${reason} (${error.code})`;
}
