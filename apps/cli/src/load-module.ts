import { pathToFileURL } from 'node:url';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Kernel } from '@nccl-ts/kernel';
import type { Communicator } from '@nccl-ts/communicator';
import { UsageError } from './usage-error.ts';

/** A host program that a module exports under the name `host`: called once for each rank. */
export type HostProgram = (comm: Communicator, launch: HostLaunch) => Promise<unknown>;

/** What the command line says of launches. */
export interface HostLaunch {
  readonly grid: number;
  readonly block: number;
}

/** What a user's module offers. */
export interface UserModule {
  readonly file: string;
  readonly kernels: readonly Kernel[];
  readonly host: HostProgram | undefined;
}

/**
 * Loads a user's module: JavaScript, or TypeScript, whose types are removed on the way (Node 20 cannot do that itself).
 *
 * @throws UsageError where there is no such file, or it offers neither kernel nor `host`.
 */
export async function loadModule(path: string): Promise<UserModule> {
  const file = resolve(path);
  if (!existsSync(file)) throw new UsageError(`there is no file ${path}`);
  const exports = await importAny(file);
  const kernels = Object.values(exports).filter(isKernel);
  const host = exports['host'];
  if (kernels.length === 0 && typeof host !== 'function') {
    throw new UsageError(`${path} exports no kernel: write export const name = kernel({ ... }, ...)`);
  }
  return { file, kernels, host: isHost(host) ? host : undefined };
}

/** The kernel that is meant: the one named, or the only one. */
export function chooseKernel({ file, kernels }: UserModule, name: string | undefined): Kernel {
  const names = kernels.map((kernel) => kernel.name).join(', ');
  if (name !== undefined) {
    const named = kernels.find((kernel) => kernel.name === name);
    if (named === undefined) throw new UsageError(`--kernel ${name}: ${file} exports no such kernel; it has ${names || 'none'}`);
    return named;
  }
  const [only, ...others] = kernels;
  if (only === undefined) throw new UsageError(`${file} exports no kernel`);
  if (others.length > 0) throw new UsageError(`${file} exports several kernels; choose one with --kernel: ${names}`);
  return only;
}

async function importAny(file: string): Promise<Record<string, unknown>> {
  const url = pathToFileURL(file).href;
  if (!/\.[cm]?tsx?$/.test(file)) return import(url);
  const { tsImport } = await import('tsx/esm/api');
  const loaded: unknown = await tsImport(url, import.meta.url);
  return isRecord(loaded) ? loaded : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** By what it carries, since the module may have loaded its own copy of the packages. */
function isKernel(value: unknown): value is Kernel {
  return isRecord(value) && value['kind'] === 'kernel' && typeof value['compile'] === 'function';
}

function isHost(value: unknown): value is HostProgram {
  return typeof value === 'function';
}
