import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A pipeline from TypeScript to the code that Node runs. */
export interface Pipeline {
  readonly name: string;
  /** The reason why it cannot run here. Absent if it can. */
  readonly skip?: string;
  /**
   * `false` if the author's files cannot be distinguished from the running files. Reports then
   * point to the running files.
   */
  readonly traceable?: false;
  /**
   * Builds into the empty folder `out`, and returns the arguments with which `node` runs the
   * program.
   */
  readonly build: (out: string, program: PipelineInput) => Promise<readonly string[]>;
}

/** The input of a pipeline. It is a file of this package that writes its captures. */
export interface PipelineInput {
  readonly entry: string;
  /** The packages that it imports. */
  readonly packages: readonly string[];
}

const source = fileURLToPath(new URL('../', import.meta.url));

/** The repository. */
export const root: string = join(source, '../../..');

const matrixPackages = ['backend-sim', 'communicator', 'core', 'devcomm', 'ir', 'kernel', 'lsa', 'multimem'];

/** The kernels of the matrix. */
export const matrixProgram: PipelineInput = { entry: join(source, 'write-captures.ts'), packages: matrixPackages };

/** The library's own kernels. */
export const libraryProgram: PipelineInput = {
  entry: join(source, 'write-library.ts'),
  packages: [...matrixPackages, 'barrier', 'collectives', 'conformance', 'gin', 'll-a2a', 'reduce-copy'],
};

/** The condition under which the packages' `exports` resolve to their sources. */
export const sourceCondition = '@nccl-ts/source';

const require = createRequire(import.meta.url);

/** A file of a tool in the root's dependencies. */
export function toolPath(specifier: string): string {
  return require.resolve(specifier);
}

/** The workspace's packages that a program needs, directly or not, as folders under the root. */
export function packageFolders({ packages }: PipelineInput): readonly string[] {
  const found = new Set<string>();
  const add = (folder: string): void => {
    if (found.has(folder)) return;
    found.add(folder);
    const manifest: unknown = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const dependencies = member(manifest, 'dependencies');
    for (const name of typeof dependencies === 'object' ? Object.keys(dependencies ?? {}) : []) {
      const [, own] = /^@nccl-ts\/(.+)$/.exec(name) ?? [];
      if (own !== undefined) add(`packages/${own}`);
    }
  };
  for (const name of packages) add(`packages/${name}`);
  return [...found];
}

/** A member of a value of unknown type. */
export function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
