import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Harness } from '@nccl-ts/harness';
import type { Kernel } from '@nccl-ts/kernel';
import { acceptTypeScript } from './accept-typescript.ts';
import { editedUrl } from './edited-module.ts';
import { ModuleError } from './module-error.ts';
import { printError } from '../output/print.ts';
import { visibleLine } from '../output/visible-text.ts';
import { isKernelFile, isProgramFile } from './is-kernel-file.ts';
import { UsageError } from '../usage-error.ts';
import { importListener, reportRequired } from './watched-process.ts';
import type { HostProgram } from '@nccl-ts/checker';
import type { UserModule } from './user-module.ts';

/** The options for kernels that a compiler must translate. */
export interface LoadOptions {
  /** The module that describes the launches of a `.cu` or `.ptx` file. */
  readonly harness?: string;
  /** Flags for the CUDA compiler. */
  readonly compilerFlags?: readonly string[];
  /** The numbers of ranks on the command line. */
  readonly rankCounts?: readonly number[];
  /** True if the command needs the simulator, which then loads sooner. */
  readonly simulates?: boolean;
}

/**
 * Loads a user's module: JavaScript or TypeScript.
 *
 * @throws UsageError if there is no such file, or it exports neither a kernel nor `host`;
 *   ModuleError if the module itself fails.
 */
export async function loadModule(path: string, options: LoadOptions = {}): Promise<UserModule> {
  if (isProgramFile(path)) return loadProgramFile(path, options);
  const file = existingFile(path);
  // The hooks for TypeScript slow down every later import, so what the command needs comes first.
  if (options.simulates === true) await import('@nccl-ts/backend-sim');
  if (isKernelFile(path)) return loadKernelFile(path, options);
  const { harness, compilerFlags = [], rankCounts } = options;
  if (harness !== undefined)
    throw new UsageError(`--harness ${harness} is for a .cu or .ptx file, but the file is ${path}`);
  const imported = await importFile(file);
  const described = await harnessOf(imported);
  if (described !== undefined) {
    const { harnessModule } = await import('./harness-module.ts');
    return harnessModule({ path, folder: dirname(file) }, described, compilerFlags, rankCounts);
  }
  if (compilerFlags.length > 0) {
    throw new UsageError(
      `${compilerFlags.join(' ')}: the words after -- are for the CUDA compiler, and ${path} needs none`,
    );
  }
  const exported = exportsOf(imported);
  const kernels = new Map([...exported].flatMap(([name, value]) => (isKernel(value) ? [[name, value] as const] : [])));
  const host = hostOf(path, imported);
  if (kernels.size === 0 && host === undefined) {
    throw new UsageError(`${path} exports no kernel: write export const name = kernel({ ... }, ...)`);
  }
  return { path, file, kernels, host };
}

/**
 * Loads the host program of a module; `undefined` if it describes the launches of a CUDA kernel.
 *
 * @throws UsageError if there is no such file, or it exports neither; ModuleError if the module
 *   itself fails.
 */
export async function loadHost(path: string): Promise<HostProgram | undefined> {
  const file = existingFile(path);
  await import('@nccl-ts/backend-sim');
  const imported = await importFile(file);
  if ((await harnessOf(imported)) !== undefined) return undefined;
  const host = hostOf(path, imported);
  if (host !== undefined) return host;
  throw new UsageError(
    `${path} must export function host, which launches kernels; for a CUDA kernel, its default export must be what harness({ ... }) of @nccl-ts/harness gives`,
  );
}

/**
 * Loads the host program of a module in which one file has another text, which is in a file of its
 * own.
 */
export async function loadEditedHost(
  path: string,
  edited: { readonly file: string; readonly text: string },
): Promise<HostProgram | undefined> {
  const file = existingFile(path);
  return hostOf(path, await importFile(file, editedUrl(file, edited)));
}

/** Loads a program in JSON. */
async function loadProgramFile(path: string, options: LoadOptions): Promise<UserModule> {
  const { harness, compilerFlags = [], rankCounts } = options;
  if (harness !== undefined)
    throw new UsageError(`--harness ${harness} is for a .cu or .ptx file, but ${path} is a whole program`);
  if (options.simulates === true) await import('@nccl-ts/backend-sim');
  const { programModule } = await import('./program-module.ts');
  return programModule(path, compilerFlags, rankCounts);
}

/** Loads a `.cu` or `.ptx` file with the module that describes its launches. */
async function loadKernelFile(path: string, options: LoadOptions): Promise<UserModule> {
  const { compilerFlags = [], rankCounts } = options;
  const { harnessModule } = await import('./harness-module.ts');
  const { harness, folder } = await harnessOption(path, options.harness);
  return harnessModule({ path, folder, kernelFile: path }, harness, compilerFlags, rankCounts);
}

/** Loads the module of `--harness`, for a `.cu` or `.ptx` file. */
async function harnessOption(path: string, harness: string | undefined): Promise<LoadedHarness> {
  if (harness === undefined) {
    throw new UsageError(
      `${path} needs --harness FILE, a module that describes its memory and its launches; nccl-ts ptx ${path} --write launch.ts writes a first one`,
    );
  }
  if (statSync(harness, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new UsageError(`--harness ${harness}: no such file`);
  }
  return importHarness(harness, `--harness ${harness}`);
}

/** Loads a module that describes launches. `called` names it in messages. */
async function importHarness(file: string, called: string): Promise<LoadedHarness> {
  const harness = await harnessOf(await importFile(resolve(file)));
  if (harness === undefined)
    throw new UsageError(`${called}: its default export must be what harness({ ... }) of @nccl-ts/harness gives`);
  return { harness, folder: dirname(resolve(file)) };
}

/** A harness, and the folder from which it names files. */
export interface LoadedHarness {
  readonly harness: Harness;
  readonly folder: string;
}

/**
 * Loads the module that describes launches, or the one of `--harness` for a `.cu` or `.ptx` file,
 * which is then the kernel's file.
 *
 * @throws UsageError if there is no such file, or its default export is no harness; ModuleError if
 *   the module itself fails.
 */
export async function loadHarness(path: string, wanted: string | undefined): Promise<LoadedHarness> {
  if (isKernelFile(path)) {
    const { harness, folder } = await harnessOption(path, wanted);
    return { harness: { ...harness, kernel: resolve(path) }, folder };
  }
  if (wanted !== undefined)
    throw new UsageError(`--harness ${wanted} is for a .cu or .ptx file, but the file is ${path}`);
  return importHarness(existingFile(path), path);
}

/**
 * Returns the harness that is a module's default export. The code for harnesses is loaded only if
 * there may be one.
 */
async function harnessOf(module: unknown): Promise<Harness | undefined> {
  const described = defaultOf(module);
  if (typeof described !== 'object' || described === null || isKernel(described)) return undefined;
  const { isHarness } = await import('@nccl-ts/harness');
  return isHarness(described) ? described : undefined;
}

/** The host program of a module: its export `host`, or its default export. */
function hostOf(path: string, module: unknown): HostProgram | undefined {
  const host = exportsOf(module).get('host') ?? programOf(module);
  if (host === undefined || isHost(host)) return host;
  throw new UsageError(`${path} exports host, which is not a function`);
}

/** The absolute path of a file on the command line. */
function existingFile(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw new UsageError(`no such file: ${path}`);
  return resolve(path);
}

/** `export default async (comm) => ...` is also a host program. */
function programOf(module: unknown): unknown {
  const found = defaultOf(module);
  return isHost(found) ? found : undefined;
}

function defaultOf(module: unknown): unknown {
  const found = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  // A CommonJS module has its exports in its default export.
  return typeof found === 'object' && found !== null && 'default' in found ? found.default : found;
}

/**
 * Returns the selected kernel: the one with that name (its own or its export's), or the only one.
 *
 * @throws UsageError if there is none or more than one.
 */
export function chooseKernel({ path, kernels }: UserModule, name: string | undefined): Kernel {
  const all = [...new Set(kernels.values())];
  const names = all.map((kernel) => visibleLine(kernel.name)).join(', ');
  const matching = all.filter((kernel) => name === undefined || kernel.name === name || kernels.get(name) === kernel);
  const [only, ...others] = matching;
  if (only === undefined) {
    const has = all.length === 0 ? 'it exports none' : `it exports ${names}`;
    throw new UsageError(
      name === undefined ? `${path} exports no kernel` : `--kernel ${name}: there is no such kernel in ${path}; ${has}`,
    );
  }
  if (others.length > 0) throw new UsageError(`${path} exports several kernels; choose one with --kernel: ${names}`);
  return only;
}

async function importFile(file: string, url: string = pathToFileURL(file).href): Promise<unknown> {
  // Not only for TypeScript files, because a JavaScript module may import one.
  await acceptTypeScript(importListener());
  const loading = (code: number): void => {
    if (code === 0) return;
    printError(
      `error: the process ended while it loaded ${visibleLine(file)}. If ulimit -v limits its address space, raise that, or set NODE_OPTIONS=--disable-wasm-trap-handler\n`,
    );
  };
  process.once('exit', loading);
  try {
    return await import(url);
  } catch (error) {
    const missing = missingPackage(error);
    if (missing === undefined) throw new ModuleError(file, error);
    throw new UsageError(
      `cannot load ${file}: it imports ${missing}, which is installed neither in its folder nor above; run npm install ${missing} there`,
    );
  } finally {
    process.off('exit', loading);
    reportRequired();
  }
}

/** Returns the package that an import did not find; `undefined` for other errors. */
function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return undefined;
  return /^Cannot find (?:module|package) '((?:@[\w.-]+\/)?\w[\w.-]*)(?:\/[^']*)?'/u.exec(error.message)?.[1];
}

/** Returns the exports by name. Those of a CommonJS module may all be in its default export. */
function exportsOf(module: unknown): ReadonlyMap<string, unknown> {
  const named = new Map(entriesOf(module));
  return new Map([...entriesOf(named.get('default')), ...named]);
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !isKernel(value) ? Object.entries(value) : [];
}

/**
 * Checks the object's own marker, because the module may have loaded another copy of the packages.
 */
function isKernel(value: unknown): value is Kernel {
  if (typeof value !== 'object' || value === null) return false;
  return 'kind' in value && value.kind === 'kernel' && 'compile' in value && typeof value.compile === 'function';
}

function isHost(value: unknown): value is HostProgram {
  return typeof value === 'function';
}
