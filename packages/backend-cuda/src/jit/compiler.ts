import type { NcclInstallation } from '../discovery/find-nccl.ts';
import type { Toolkit } from '../discovery/find-toolkit.ts';
import type { CompileCache } from './cache.ts';
import type { DeviceCompiler } from './device-compiler.ts';

/** How kernels are compiled. */
export interface Compiler {
  readonly toolkit: Toolkit;
  readonly nccl: NcclInstallation;
  readonly cache: CompileCache;
  /** The compilers in order of preference. The default is only the toolkit's nvcc. */
  readonly compilers?: readonly DeviceCompiler[];
  /** The milliseconds that nvcc may take for a text. The default is `COMPILE_MILLISECONDS`. */
  readonly milliseconds?: number;
}
