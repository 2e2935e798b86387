import type { NcclInstallation } from '../discovery/find-nccl.ts';
import type { Toolkit } from '../discovery/find-toolkit.ts';
import type { CompileCache } from './cache.ts';
import type { DeviceCompiler } from './device-compiler.ts';

/** What kernels are compiled with. */
export interface Compiler {
  readonly toolkit: Toolkit;
  readonly nccl: NcclInstallation;
  readonly cache: CompileCache;
  /** In the order in which they are tried; by default the toolkit's nvcc alone. */
  readonly compilers?: readonly DeviceCompiler[];
  /** The milliseconds that nvcc may take for a text; by default `COMPILE_MILLISECONDS`. */
  readonly milliseconds?: number;
}
