import type { NcclInstallation } from '../discovery/find-nccl.ts';
import type { Toolkit } from '../discovery/find-toolkit.ts';
import type { CompileCache } from './cache.ts';
import type { DeviceCompiler } from './device-compiler.ts';

/** The compilation of kernels. */
export interface Compiler {
  readonly toolkit: Toolkit;
  readonly nccl: NcclInstallation;
  readonly cache: CompileCache;
  /** In the order of their use; by default only the toolkit's nvcc. */
  readonly compilers?: readonly DeviceCompiler[];
  /** The milliseconds that nvcc may take for a text; by default `COMPILE_MILLISECONDS`. */
  readonly milliseconds?: number;
}
