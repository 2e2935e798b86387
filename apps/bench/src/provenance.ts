import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';

/** The origin of a results file. It is at the top of the file, with the machine. */
export interface Provenance {
  /**
   * The commit of the sources that ran. It ends in `-dirty` if they had changes, and is `unknown`
   * without git.
   */
  readonly commit: string;
  readonly command: string;
  /** The date, as in 2026-11-26. */
  readonly date: string;
}

/**
 * The provenance of this process's results. On a machine without git, `gpu-machine/run.sh` passes
 * the commit and the command.
 */
export function provenance(): Provenance {
  const { NCCLTS_COMMIT: commit, NCCLTS_COMMAND: command } = process.env;
  return Object.freeze({
    commit: commit ?? commitOfCheckout(),
    command: command ?? ['node', relative('', process.argv[1] ?? ''), ...process.argv.slice(2)].join(' '),
    date: new Date().toISOString().slice(0, 10),
  });
}

function commitOfCheckout(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const dirty = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '-dirty';
    return `${git('rev-parse', 'HEAD')}${dirty}`;
  } catch {
    return 'unknown';
  }
}
