import { posix } from 'node:path';

import { moduleFacts, type ModuleFacts } from './module-facts.ts';
import type { Files } from './repository.ts';

/** The parts of a package.json that the rules read. */
export interface Manifest {
  readonly name: unknown;
  readonly type: unknown;
  readonly license: unknown;
  readonly sideEffects: unknown;
  readonly private: unknown;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly devDependencies: Readonly<Record<string, unknown>>;
  readonly peerDependencies: Readonly<Record<string, unknown>>;
  /** Installed with the package, but it works without them. */
  readonly optionalDependencies: Readonly<Record<string, unknown>>;
}

export interface SourceFile {
  readonly path: string;
  readonly facts: ModuleFacts;
}

/** A member of the workspace: its manifest and its parsed files. */
export interface WorkspaceMember {
  readonly group: string;
  readonly directory: string;
  /** The folder, such as `packages/ir`. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly sources: readonly SourceFile[];
  readonly tests: readonly SourceFile[];
  /** The scripts of an app's web pages, which are bundled. */
  readonly pages: readonly SourceFile[];
  readonly paths: readonly string[];
}

/** Groups the files by workspace member. A member is a folder with a package.json. */
export function membersOf(files: Files): readonly WorkspaceMember[] {
  return [...files.keys()]
    .filter((path) => /^[^/]+\/[^/]+\/package\.json$/.test(path))
    .map((path) => member(files, path.slice(0, -'/package.json'.length)));
}

function member(files: Files, folder: string): WorkspaceMember {
  const [group = '', directory = ''] = folder.split('/');
  const paths = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
  // An app may have further projects in folders of its own.
  const projects = paths
    .filter((path) => /^apps\/[^/]+\/(?!test\/)[^/]+\/tsconfig\.json$/.test(path))
    .map((path) => posix.dirname(path));
  const parsed = (part: string): readonly SourceFile[] =>
    paths
      .filter((path) => [folder, ...projects].some((project) => path.startsWith(`${project}/${part}/`)))
      .filter((path) => /\.(ts|mts|mjs|js)$/.test(path))
      .map((path) => ({ path, facts: moduleFacts(path, files.get(path) ?? '') }));
  const json = record(JSON.parse(files.get(`${folder}/package.json`) ?? '{}'));
  return {
    group,
    directory,
    folder,
    paths,
    sources: parsed('src'),
    tests: parsed('test'),
    pages: parsed('page'),
    manifest: {
      name: json['name'],
      type: json['type'],
      license: json['license'],
      sideEffects: json['sideEffects'],
      private: json['private'],
      exports: record(json['exports']),
      dependencies: record(json['dependencies']),
      devDependencies: record(json['devDependencies']),
      peerDependencies: record(json['peerDependencies']),
      optionalDependencies: record(json['optionalDependencies']),
    },
  };
}

/** Everything that is installed with the member, by name. */
export function installedWith(manifest: Manifest): Readonly<Record<string, unknown>> {
  const { dependencies, peerDependencies, optionalDependencies } = manifest;
  return { ...dependencies, ...peerDependencies, ...optionalDependencies };
}

/** Returns `value` if it is an object, and otherwise an empty object. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
