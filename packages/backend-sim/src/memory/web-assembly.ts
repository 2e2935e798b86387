/**
 * The little of WebAssembly that the heap needs. Node and every browser have it, but TypeScript declares it only
 * together with the whole DOM.
 */
interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  grow(pages: number): number;
}

/** A compiled module; only the engine looks inside. */
interface WebAssemblyModule {
  readonly compiled?: never;
}

type WebAssemblyImports = Readonly<Record<string, unknown>>;

declare const WebAssembly: {
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
};

export type { WebAssemblyMemory, WebAssemblyModule };

export const PAGE_BYTES = 65536;

/** Memory that grows in place. Throws a `RangeError` where the address space for `maximumPages` is not to be had. */
export function createMemory(initialPages: number, maximumPages: number, shared = false): WebAssemblyMemory {
  return new WebAssembly.Memory({ initial: initialPages, maximum: maximumPages, shared });
}

/** Throws the engine's `CompileError` for bytes that are no module. */
export function compileModule(bytes: Uint8Array<ArrayBuffer>): WebAssemblyModule {
  return new WebAssembly.Module(bytes);
}

/** Whether the engine takes `bytes` as a module. */
export function isValidModule(bytes: Uint8Array<ArrayBuffer>): boolean {
  return WebAssembly.validate(bytes);
}

/** What the module exports, with `env` as what it imports. */
export function instantiate(module: WebAssemblyModule, env: WebAssemblyImports): Readonly<Record<string, unknown>> {
  return new WebAssembly.Instance(module, { env }).exports;
}
