import { encodeModule } from '../emit-wasm/encode-module.ts';
import type { WasmModule } from '../emit-wasm/wasm-module.ts';
import { compileModule, type WebAssemblyModule } from '../memory/web-assembly.ts';
import { cores, mayWait } from '../worker/spawn.ts';
import { emitNative, type NativeOptions } from './emit-native.ts';
import type { NativeWork } from './native-work.ts';

/**
 * A module for a `TeamJob` that does the work, with its addresses as constants. `shared`: for a
 * memory that threads share. It takes about a millisecond, so it is worth keeping.
 *
 * @throws NcclError `NCCL_INTERNAL_ERROR` for reductions without instructions; `isNative` tests for
 *   that.
 */
export function compileWork(work: NativeWork, shared: boolean): WebAssemblyModule {
  return compileNative((options) => emitNative(work, options), shared);
}

/** A module for this host. `shared`: for a memory that threads share. */
export function compileNative(emit: (options: NativeOptions) => WasmModule, shared: boolean): WebAssemblyModule {
  return compileModule(encodeModule(emit({ shared, naps: mayWait(), cores: cores() })));
}
