import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A way in which users get from TypeScript to what Node runs. */
export interface Pipeline {
  readonly name: string;
  /** Why it cannot run here; absent where it can. */
  readonly skip?: string;
  /** `false` where nothing tells the author's files from what runs: reports then point into that. */
  readonly traceable?: false;
  /** Builds into the empty folder `out`, and gives the arguments with which `node` then runs the program. */
  readonly build: (out: string) => Promise<readonly string[]>;
}

/** The program that every pipeline builds. */
export const entry: string = fileURLToPath(new URL('../write-captures.ts', import.meta.url));

/** The repository. */
export const root: string = join(dirname(entry), '../../..');

/** Under which the packages' `exports` lead to their sources. */
export const sourceCondition = '@nccl-ts/source';

const require = createRequire(import.meta.url);

/** A file of a tool, from the root's dependencies. */
export function toolPath(specifier: string): string {
  return require.resolve(specifier);
}

/** The workspace's packages that the program needs, directly or not, as folders under the root. */
export function packageFolders(): readonly string[] {
  const found = new Set<string>();
  const add = (folder: string): void => {
    const manifest: unknown = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const dependencies = member(manifest, 'dependencies');
    for (const name of typeof dependencies === 'object' ? Object.keys(dependencies ?? {}) : []) {
      const [, own] = /^@nccl-ts\/(.+)$/.exec(name) ?? [];
      if (own === undefined || found.has(`packages/${own}`)) continue;
      found.add(`packages/${own}`);
      add(`packages/${own}`);
    }
  };
  add('tooling/capture-matrix');
  return [...found];
}

/** A member of what may be anything. */
export function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
