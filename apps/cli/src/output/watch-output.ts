import { printError } from './print.ts';

/** What became of stdout and stderr. */
export interface WatchedOutput {
  /** True if something could not be written that somebody still wants to read. */
  readonly hasFailed: boolean;
}

/**
 * Keeps the process going when its output cannot be written. A reader that has gone, as in `nccl-ts
 * check ... | head`, changes nothing: files are still written, and the exit code stays what it is.
 * `onFailure` is called where the output has no room, once.
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
  // There is nowhere left to say it.
  stderr.on('error', () => undefined);
  return {
    get hasFailed() {
      return hasFailed;
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota on that disk is used up',
  EFBIG: 'the file would be larger than it may be',
  EIO: 'the device fails',
};

/** `the disk is full (ENOSPC)`. */
export function failureText(error: NodeJS.ErrnoException): string {
  const reason = reasons[error.code ?? ''];
  return reason === undefined ? error.message : `${reason} (${error.code})`;
}
