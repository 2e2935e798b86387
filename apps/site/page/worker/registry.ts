import { sim as realSim, type SimBackend, type SimOptions } from '@nccl-ts/backend-sim';
import * as communicator from '@nccl-ts/communicator';
import * as core from '@nccl-ts/core';
import * as devcomm from '@nccl-ts/devcomm';
import * as findings from '@nccl-ts/findings';
import * as gin from '@nccl-ts/gin';
import * as kernels from '@nccl-ts/kernel';
import * as lsa from '@nccl-ts/lsa';
import type { Kernel } from '@nccl-ts/kernel';
import * as ncclTs from 'virtual:nccl-ts-first';

/**
 * The state while a program loads: the backend that the page gives it, and the kernels that it
 * creates.
 */
export interface Loading {
  /** Replaces `sim(...)` in a program that opens its own world. */
  readonly backend: ((options: SimOptions) => SimBackend) | undefined;
  readonly kernels: Kernel[];
}

let loading: Loading | undefined;

export function beginLoading(next: Loading): void {
  loading = next;
}

const sim = (options: SimOptions): SimBackend =>
  loading?.backend === undefined ? realSim(options) : loading.backend(options);

/** The `kernel` of the kernel language, which also records the kernels that it creates. */
const kernel = (...given: Parameters<typeof kernels.kernel>): Kernel => {
  const made = kernels.kernel(...given);
  loading?.kernels.push(made);
  return made;
};

/** The packages that a program may import. */
export const registry: Record<string, Readonly<Record<string, unknown>>> = {
  'nccl-ts': { ...ncclTs, sim, kernel },
  '@nccl-ts/communicator': communicator,
  '@nccl-ts/core': core,
  '@nccl-ts/devcomm': devcomm,
  '@nccl-ts/findings': findings,
  '@nccl-ts/gin': gin,
  '@nccl-ts/kernel': { ...kernels, kernel },
  '@nccl-ts/lsa': lsa,
};

/**
 * Loaders for the packages that few programs import, and for the names of `nccl-ts` that few
 * programs need.
 */
const later: Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>> = {
  'nccl-ts': async () => ({ ...(await import('nccl-ts')), sim, kernel }),
  '@nccl-ts/backend-sim': async () => ({ ...(await import('@nccl-ts/backend-sim')), sim }),
  '@nccl-ts/barrier': async () => import('@nccl-ts/barrier'),
  '@nccl-ts/cft': async () => import('@nccl-ts/cft'),
  '@nccl-ts/checker': async () => import('@nccl-ts/checker'),
  '@nccl-ts/collectives': async () => import('@nccl-ts/collectives'),
  '@nccl-ts/cost-model': async () => import('@nccl-ts/cost-model'),
  '@nccl-ts/harness': async () => import('@nccl-ts/harness'),
  '@nccl-ts/ll-a2a': async () => import('@nccl-ts/ll-a2a'),
  '@nccl-ts/ir': async () => import('@nccl-ts/ir'),
  '@nccl-ts/multimem': async () => import('@nccl-ts/multimem'),
  '@nccl-ts/mutation': async () => import('@nccl-ts/mutation'),
  '@nccl-ts/prediction': async () => import('@nccl-ts/prediction'),
  '@nccl-ts/reduce-copy': async () => import('@nccl-ts/reduce-copy'),
  '@nccl-ts/timeline': async () => import('@nccl-ts/timeline'),
  '@nccl-ts/topology': async () => import('@nccl-ts/topology'),
  '@nccl-ts/transport': async () => import('@nccl-ts/transport'),
};

export const packageNames: readonly string[] = [...new Set([...Object.keys(registry), ...Object.keys(later)])];

/** The packages that are loaded completely. */
const whole = new Set<string>();

/**
 * Loads a package, or the rest of it, if one of `names` is not loaded yet. `*` stands for all
 * names.
 */
export async function loadPackage(specifier: string, names: readonly string[]): Promise<void> {
  const load = Object.hasOwn(later, specifier) ? later[specifier] : undefined;
  if (load === undefined || whole.has(specifier)) return;
  const known = Object.hasOwn(registry, specifier) ? registry[specifier] : undefined;
  if (known !== undefined && names.every((name) => Object.hasOwn(known, name))) return;
  registry[specifier] = await load();
  whole.add(specifier);
  urls.delete(specifier);
}

const urls = new Map<string, string>();

/**
 * The URL of a module with a package's names; `undefined` if the page does not have the package.
 */
export function moduleUrl(specifier: string): string | undefined {
  const known = urls.get(specifier);
  if (known !== undefined) return known;
  const names = Object.hasOwn(registry, specifier) ? registry[specifier] : undefined;
  if (names === undefined) return undefined;
  const exported = Object.keys(names).map((name) => `export const ${name} = m.${name};`);
  const text = `const m = globalThis.ncclTsPackages[${JSON.stringify(specifier)}];\n${exported.join('\n')}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  urls.set(specifier, url);
  return url;
}

Object.defineProperty(globalThis, 'ncclTsPackages', { value: registry });
