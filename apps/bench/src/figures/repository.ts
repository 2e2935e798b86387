import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A checkout: its tracked files, and its changes. */
export class Repository {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  get readmes(): readonly string[] {
    return this.#tracked('README.md', '*/README.md');
  }

  /** Other published texts: documentation and changesets. */
  get documents(): readonly string[] {
    return this.#tracked('docs/*.md', '.changeset/*.md');
  }

  /** Files of results. Those of `tooling/mutants` have a separate test. */
  get results(): readonly string[] {
    return this.#tracked('packages/*/results/*.json', 'apps/*/results/*.json');
  }

  /**
   * The number of commits since `commit` that changed the paths; `undefined` where git does not
   * know the commit.
   */
  changesSince(commit: string, paths: readonly string[]): number | undefined {
    try {
      return Number(this.#git('rev-list', '--count', `${commit}..HEAD`, '--', ...paths));
    } catch {
      return undefined;
    }
  }

  #tracked(...patterns: readonly string[]): readonly string[] {
    // Also what was just made and not committed yet.
    return this.#git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns)
      .split('\n')
      .filter((path) => path !== '');
  }

  #git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  }
}
