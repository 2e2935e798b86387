import { NcclError } from '@nccl-ts/core';

/**
 * The part of WebAssembly's types that the heap needs. Node and every browser have it, but
 * TypeScript declares it only together with the whole DOM.
 */
interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  grow(pages: number): number;
}

/** A compiled module, which is opaque to everything except the engine. */
interface WebAssemblyModule {
  readonly compiled?: never;
}

type WebAssemblyImports = Readonly<Record<string, unknown>>;

interface Namespace {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WebAssemblyModule;
  readonly Instance: new (
    module: WebAssemblyModule,
    imports: { readonly env: WebAssemblyImports },
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
  readonly Memory: new (descriptor: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: boolean;
  }) => WebAssemblyMemory;
}

declare const WebAssembly: Namespace | undefined;

export type { WebAssemblyMemory, WebAssemblyModule };

export const PAGE_BYTES = 65536;

/** True if the host has WebAssembly. `node --jitless` and locked-down browsers do not. */
export function hasWebAssembly(): boolean {
  return typeof WebAssembly === 'object';
}

/** @throws NcclError `NCCLTS_NOT_SUPPORTED` */
function own(): Namespace {
  if (typeof WebAssembly === 'object') return WebAssembly;
  throw noWebAssembly('The requested operation');
}

/** Returns the error for `what` on a host without WebAssembly. */
export function noWebAssembly(what: string): NcclError {
  return new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `${what} needs WebAssembly, but this host has none: run node without --jitless, and browsers without a lockdown mode. ` +
      "sim({ engine: 'js' }) runs kernels without it.",
  );
}

/**
 * Makes memory that grows in place.
 *
 * @throws RangeError if there is no address space for `maximumPages`.
 */
export function createMemory(initialPages: number, maximumPages: number, shared = false): WebAssemblyMemory {
  return new (own().Memory)({ initial: initialPages, maximum: maximumPages, shared });
}

/** @throws the engine's `CompileError` if the bytes are not a module. */
export function compileModule(bytes: Uint8Array<ArrayBuffer>): WebAssemblyModule {
  return new (own().Module)(bytes);
}

/** True if the engine accepts `bytes` as a module. */
export function isValidModule(bytes: Uint8Array<ArrayBuffer>): boolean {
  return own().validate(bytes);
}

/** Returns the exports of the module, with `env` as its imports. */
export function instantiate(module: WebAssemblyModule, env: WebAssemblyImports): Readonly<Record<string, unknown>> {
  return new (own().Instance)(module, { env }).exports;
}
