import * as barrier from '@nccl-ts/barrier';
import * as cft from '@nccl-ts/cft';
import * as devcomm from '@nccl-ts/devcomm';
import * as gin from '@nccl-ts/gin';
import * as kernel from '@nccl-ts/kernel';
import * as llA2A from '@nccl-ts/ll-a2a';
import * as lsa from '@nccl-ts/lsa';
import * as multimem from '@nccl-ts/multimem';
import * as reduceCopy from '@nccl-ts/reduce-copy';

/** The packages of the device API, whose values `use` and `params` contain. */
const packages: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '@nccl-ts/barrier': barrier,
  '@nccl-ts/cft': cft,
  '@nccl-ts/devcomm': devcomm,
  '@nccl-ts/gin': gin,
  '@nccl-ts/kernel': kernel,
  '@nccl-ts/ll-a2a': llA2A,
  '@nccl-ts/lsa': lsa,
  '@nccl-ts/multimem': multimem,
  '@nccl-ts/reduce-copy': reduceCopy,
};

/** In the facade, a device package's main name has the place of the package. */
const facade: Readonly<Record<string, unknown>> = {
  ...devcomm,
  ...kernel,
  barrier: barrier.barrier,
  cft: cft.cft,
  gin: gin.gin,
  llA2A: llA2A.llA2A,
  lsa: lsa.lsa,
  multimem: multimem.multimem,
  reduceCopy: reduceCopy.reduceCopy,
};

/** The values that `specifier` exports to kernels; `undefined` for other modules. */
export function deviceValues(specifier: string): Readonly<Record<string, unknown>> | undefined {
  if (/^nccl-ts(?:\/|$)/.test(specifier)) return facade;
  return Object.hasOwn(packages, specifier) ? packages[specifier] : undefined;
}

/**
 * The functions that only describe something, so that a reader of the text may call them. They run
 * no function that they are given.
 */
export const describingFunctions: ReadonlySet<unknown> = new Set<unknown>([
  kernel.deviceFn,
  kernel.deviceModule,
  kernel.deviceSession,
  kernel.form,
  kernel.forms,
  kernel.intrinsic,
  kernel.kernel,
  kernel.primitive,
  kernel.ptr,
  kernel.sessionState,
  kernel.structParam,
  kernel.vec,
  devcomm.symPtr,
]);
