import { NcclError, showValue } from '@nccl-ts/core';
import { messageOf } from '../errors.ts';

/** The services of this host: a browser, its worker, or Node. Tests substitute others. */
export interface GpuHost {
  /** `navigator.gpu`, if it exists. */
  readonly gpu: unknown;
  readonly isNode: boolean;
  /** Browsers expose `navigator.gpu` only to secure pages. */
  readonly isSecureContext: boolean;
  /** Loads the package webgpu. */
  readonly importPackage: () => Promise<unknown>;
}

// The name is built at run time, so that bundlers for browsers do not look into a package that only
// Node can load.
const packageName = ['web', 'gpu'].join('');

/** The host of this code. */
export function currentGpuHost(): GpuHost {
  const navigator: unknown = Reflect.get(globalThis, 'navigator');
  const process: unknown = Reflect.get(globalThis, 'process');
  const versions = property(process, 'versions');
  return {
    gpu: property(navigator, 'gpu'),
    isNode: typeof property(versions, 'node') === 'string',
    isSecureContext: Reflect.get(globalThis, 'isSecureContext') !== false,
    importPackage: async () => {
      const imported: unknown = await import(/* @vite-ignore */ /* webpackIgnore: true */ packageName);
      return imported;
    },
  };
}

/**
 * Returns the entry to WebGPU: the browser's, or that of the package webgpu in Node.
 *
 * @param adapter a part of the GPU's name, only in Node
 * @throws NcclError `NCCLTS_WEBGPU_UNAVAILABLE`, `NCCLTS_WEBGPU_MISSING`, `NCCLTS_NOT_SUPPORTED`.
 */
export async function findGpu(adapter: string | undefined, host: GpuHost): Promise<GPU> {
  if (isGpu(host.gpu) && adapter === undefined) return host.gpu;
  if (host.isNode) return nodeGpu(adapter, host);
  if (!isGpu(host.gpu)) throw unavailable(host);
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `adapter picks a GPU by its name, which browsers do not allow; given ${showValue(adapter)}. Leave it out, or give ` +
      `powerPreference.`,
  );
}

async function nodeGpu(adapter: string | undefined, host: GpuHost): Promise<GPU> {
  // The result of `create` is kept forever, for all copies of this module together, because the
  // process crashes if it is garbage-collected while a device is in use.
  const key = Symbol.for(`@nccl-ts/backend-webgpu/gpu/${adapter ?? ''}`);
  try {
    const imported = await host.importPackage();
    const kept: unknown = Reflect.get(globalThis, key);
    if (isGpu(kept)) return kept;
    const gpu = createdBy(imported, adapter === undefined ? [] : [`adapter=${adapter}`]);
    Reflect.set(globalThis, key, gpu);
    return gpu;
  } catch (error) {
    throw new NcclError(
      'NCCLTS_WEBGPU_MISSING',
      `Node has no WebGPU of its own; the package webgpu brings it, and cannot be loaded: ${messageOf(error)}. ` +
        'Install it beside @nccl-ts/backend-webgpu: npm install webgpu',
      { cause: error },
    );
  }
}

function createdBy(imported: unknown, options: readonly string[]): GPU {
  const create = property(imported, 'create');
  if (typeof create !== 'function') throw new TypeError('it has no function create');
  const gpu: unknown = Reflect.apply(create, undefined, [options]);
  if (!isGpu(gpu)) throw new TypeError('its function create gives no GPU');
  return gpu;
}

function unavailable(host: GpuHost): NcclError {
  return new NcclError(
    'NCCLTS_WEBGPU_UNAVAILABLE',
    host.isSecureContext
      ? 'This browser has no WebGPU: navigator.gpu does not exist. Chrome and Edge have it from version 113 on, Safari from ' +
          '26, Firefox from 141; on some systems it must be switched on.'
      : 'Browsers have WebGPU only for secure pages: serve this one over https, or from localhost.',
  );
}

function isGpu(value: unknown): value is GPU {
  return typeof property(value, 'requestAdapter') === 'function';
}

function property(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
