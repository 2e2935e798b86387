import * as backendSim from '@nccl-ts/backend-sim';
import * as collectives from '@nccl-ts/collectives';
import * as communicator from '@nccl-ts/communicator';
import * as core from '@nccl-ts/core';
import * as devcomm from '@nccl-ts/devcomm';
import * as findings from '@nccl-ts/findings';
import * as gin from '@nccl-ts/gin';
import * as kernels from '@nccl-ts/kernel';
import * as lsa from '@nccl-ts/lsa';
import type { SimBackend, SimOptions } from '@nccl-ts/backend-sim';
import type { Kernel } from '@nccl-ts/kernel';
import * as ncclTs from 'nccl-ts';

/** While a program is loaded: the backend that the page gives it, and the kernels that it makes. */
export interface Loading {
  /** Stands for `sim(...)` in a program that opens its own world. */
  readonly backend: ((options: SimOptions) => SimBackend) | undefined;
  readonly kernels: Kernel[];
}

let loading: Loading | undefined;

export function beginLoading(next: Loading): void {
  loading = next;
}

const sim = (options: SimOptions): SimBackend =>
  loading?.backend === undefined ? backendSim.sim(options) : loading.backend(options);

/** The function of the kernel language, which notes what it makes. */
const kernel = (...given: Parameters<typeof kernels.kernel>): Kernel => {
  const made = kernels.kernel(...given);
  loading?.kernels.push(made);
  return made;
};

/** The packages that a program may import. */
export const registry: Record<string, Readonly<Record<string, unknown>>> = {
  'nccl-ts': { ...ncclTs, sim, kernel },
  '@nccl-ts/backend-sim': { ...backendSim, sim },
  '@nccl-ts/collectives': collectives,
  '@nccl-ts/communicator': communicator,
  '@nccl-ts/core': core,
  '@nccl-ts/devcomm': devcomm,
  '@nccl-ts/findings': findings,
  '@nccl-ts/gin': gin,
  '@nccl-ts/kernel': { ...kernels, kernel },
  '@nccl-ts/lsa': lsa,
};

/** Packages that few programs import. */
const later: Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>> = {
  '@nccl-ts/barrier': async () => import('@nccl-ts/barrier'),
  '@nccl-ts/harness': async () => import('@nccl-ts/harness'),
  '@nccl-ts/ll-a2a': async () => import('@nccl-ts/ll-a2a'),
  '@nccl-ts/multimem': async () => import('@nccl-ts/multimem'),
  '@nccl-ts/reduce-copy': async () => import('@nccl-ts/reduce-copy'),
  '@nccl-ts/timeline': async () => import('@nccl-ts/timeline'),
  '@nccl-ts/topology': async () => import('@nccl-ts/topology'),
  '@nccl-ts/transport': async () => import('@nccl-ts/transport'),
};

export const packageNames: readonly string[] = [...Object.keys(registry), ...Object.keys(later)];

/** Loads the packages of these names that are not there from the beginning. */
export async function loadPackages(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const load = Object.hasOwn(later, name) ? later[name] : undefined;
    if (load !== undefined && !Object.hasOwn(registry, name)) registry[name] = await load();
  }
}

const urls = new Map<string, string>();

/** The URL of a module with a package's names; `undefined` where the page lacks it. */
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
