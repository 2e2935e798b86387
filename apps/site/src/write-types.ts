import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import process from 'node:process';
import { dist, own, root } from './folders.ts';

/** The packages whose types the editor knows. They exclude the packages that drive hardware. */
const packages = [
  'nccl-ts',
  '@nccl-ts/backend-sim',
  '@nccl-ts/barrier',
  '@nccl-ts/cft',
  '@nccl-ts/collectives',
  '@nccl-ts/communicator',
  '@nccl-ts/core',
  '@nccl-ts/devcomm',
  '@nccl-ts/gin',
  '@nccl-ts/kernel',
  '@nccl-ts/ll-a2a',
  '@nccl-ts/lsa',
  '@nccl-ts/multimem',
  '@nccl-ts/reduce-copy',
] as const;

/** The parts of JavaScript's own library that a program of the page may use. */
const library = 'lib.es2023.d.ts';

/**
 * The global types for a program. The page does not have Node, and its worker has no document.
 * `lib.dom.d.ts` would be larger than all other types together.
 */
const surroundings = `
interface Console { log(...values: unknown[]): void; error(...values: unknown[]): void; warn(...values: unknown[]): void }
declare var console: Console;
declare var performance: { now(): number };
declare function setTimeout(run: () => void, milliseconds?: number): number;
declare function structuredClone<T>(value: T): T;
interface AbortSignal { readonly aborted: boolean; readonly reason: unknown; throwIfAborted(): void }
declare var AbortSignal: { timeout(milliseconds: number): AbortSignal };
declare class AbortController { readonly signal: AbortSignal; abort(reason?: unknown): void }
interface SymbolConstructor { readonly dispose: unique symbol; readonly asyncDispose: unique symbol }
interface Disposable { [Symbol.dispose](): void }
interface AsyncDisposable { [Symbol.asyncDispose](): PromiseLike<void> }
`;

/** Builds the declarations of all packages. */
export function buildDeclarations(): void {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const { status } = spawnSync(process.execPath, [tsc, '-b', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('cannot build the site, because the packages could not be built.');
}

/** Writes the declarations that the editor's types need, as one file. */
export async function writeTypes(): Promise<void> {
  const files = new Map<string, string>();
  for (const name of packages) addPackage(name, files);
  addLibrary(library, files);
  files.set('/lib/surroundings.d.ts', surroundings);
  await writeFile(`${dist}/assets/types.json`, JSON.stringify(Object.fromEntries(files)));
}

function folderOf(specifier: string): string {
  return `${root}packages/${specifier.replace('@nccl-ts/', '')}`;
}

function addPackage(name: string, files: Map<string, string>): void {
  const path = `/node_modules/${name}/dist/index.d.ts`;
  if (files.has(path) || !existsSync(folderOf(name))) return;
  files.set(`/node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', types: './dist/index.d.ts' }));
  addDeclarations(name, 'dist/index.d.ts', files);
}

/** Adds a file and its imports. */
function addDeclarations(name: string, file: string, files: Map<string, string>): void {
  const path = `/node_modules/${name}/${file}`;
  if (files.has(path)) return;
  const text = readFileSync(join(folderOf(name), file), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\n?$/, '\n');
  files.set(path, text);
  for (const [, specifier = ''] of text.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
    if (specifier.startsWith('.')) {
      addDeclarations(name, posix.join(dirname(file), specifier.replace(/\.(?:js|ts)$/, '.d.ts')), files);
    } else if (specifier === 'nccl-ts' || specifier.startsWith('@nccl-ts/')) addPackage(specifier, files);
  }
}

/** Adds one of TypeScript's libraries, and the libraries that it references. */
function addLibrary(file: string, files: Map<string, string>): void {
  if (files.has(`/lib/${file}`)) return;
  const folder = dirname(createRequire(`${own}/package.json`).resolve('typescript'));
  const text = readFileSync(`${folder}/${file}`, 'utf8');
  files.set(`/lib/${file}`, text);
  for (const [, name = ''] of text.matchAll(/\/\/\/ <reference lib="([^"]+)"/g)) addLibrary(`lib.${name}.d.ts`, files);
}
