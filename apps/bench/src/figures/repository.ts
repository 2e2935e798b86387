import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

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

  /** The other published texts: documentation and changesets. */
  get documents(): readonly string[] {
    return this.#tracked('docs/*.md', '.changeset/*.md');
  }

  /** The sources of published packages, for their comments. */
  get sources(): readonly string[] {
    return this.#tracked('packages/*/src/*.ts');
  }

  /** The results files. Those of `tooling/mutants` have a separate test. */
  get results(): readonly string[] {
    return this.#tracked('packages/*/results/*.json', 'apps/*/results/*.json');
  }

  /**
   * The number of commits since `commit` that changed the paths, or `undefined` if git does not
   * know the commit.
   */
  changesSince(commit: string, paths: readonly string[]): number | undefined {
    try {
      return Number(this.#git('rev-list', '--count', `${commit}..HEAD`, '--', ...paths));
    } catch {
      return undefined;
    }
  }

  /** False in a checkout without its history, such as an unpacked archive. */
  get hasHistory(): boolean {
    try {
      this.#git('rev-parse', 'HEAD');
      return true;
    } catch {
      return false;
    }
  }

  #tracked(...patterns: readonly string[]): readonly string[] {
    if (!this.hasHistory) return this.#matching(patterns);
    // Includes files that are not committed yet.
    return this.#git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns)
      .split('\n')
      .filter((path) => path !== '');
  }

  /** The files that match, without git. As in git, a star matches any part of a path. */
  #matching(patterns: readonly string[]): readonly string[] {
    const tests = patterns.map((pattern) => {
      const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\/]/g, String.raw`\$&`));
      return new RegExp(`^${parts.join('.*')}$`);
    });
    const isLeftOut = (path: string): boolean => /(?:^|\/)(?:node_modules|dist|\.git|\.turbo)(?:\/|$)/.test(path);
    const walk = (folder: string): readonly string[] =>
      readdirSync(join(this.root, folder), { withFileTypes: true }).flatMap((entry) => {
        const path = posix.join(folder, entry.name);
        if (isLeftOut(path)) return [];
        return entry.isDirectory() ? walk(path) : [path];
      });
    return walk('').filter((path) => tests.some((test) => test.test(path)));
  }

  #git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  }
}
