import { encodeModule, type WasmModule } from '@nccl-ts/codegen/wasm';
import { compileModule, type WebAssemblyModule } from '@nccl-ts/codegen';
import { cores, mayWait } from '../worker/spawn.ts';
import { emitNative, type NativeOptions } from './emit-native.ts';
import type { NativeWork } from './native-work.ts';

/**
 * Compiles a module for a `TeamJob` that does the work, with its addresses as constants. `shared`
 * is true for a memory that threads share. Compiling takes about a millisecond, so keep the module.
 *
 * @throws NcclError `NCCL_INTERNAL_ERROR` if there are no instructions for a reduction, which
 *   `isNative` tests.
 */
export function compileWork(work: NativeWork, shared: boolean): WebAssemblyModule {
  return compileNative((options) => emitNative(work, options), shared);
}

/** Compiles a module for this host. `shared` is true for a memory that threads share. */
export function compileNative(emit: (options: NativeOptions) => WasmModule, shared: boolean): WebAssemblyModule {
  return compileModule(encodeModule(emit({ shared, naps: mayWait(), cores: cores() })));
}
