import type { WasmCode } from './instruction.ts';
import type { WasmType } from './opcodes.ts';

/** A function of a module. Its locals start with its parameters. */
export interface WasmFunction {
  readonly name: string;
  readonly params: readonly WasmType[];
  readonly results: readonly WasmType[];
  /** The types of the locals after the parameters. */
  readonly locals: readonly WasmType[];
  readonly code: WasmCode;
  /** True if it can be called from outside. */
  readonly exported: boolean;
}

/** An imported function: `env.NAME`. */
export interface WasmImport {
  readonly name: string;
  readonly params: readonly WasmType[];
  readonly results: readonly WasmType[];
}

/** A module that uses the imported memory `env.memory`. */
export interface WasmModule {
  readonly imports: readonly WasmImport[];
  readonly functions: readonly WasmFunction[];
  /** True if several threads of the host share the memory. @default false */
  readonly shared?: boolean;
  /** True if it imports `env.table`, whose functions are called by number. @default false */
  readonly table?: boolean;
}
