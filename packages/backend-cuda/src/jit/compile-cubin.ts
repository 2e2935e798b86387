import { NcclError } from '@nccl-ts/core';
import { renderDiagnostics, type Diagnostic, type Module } from '@nccl-ts/ir';
import type { CudaSource } from '../cuda-source.ts';
import type { NcclInstallation } from '../discovery/find-nccl.ts';
import type { Toolkit } from '../discovery/find-toolkit.ts';
import { cacheKey, type CompileCache } from './cache.ts';
import { compileDiagnostics } from './compile-diagnostics.ts';
import { compilerIdentity, nvccFlags, runNvcc } from './nvcc.ts';

/** What kernels are compiled with. */
export interface Compiler {
  readonly toolkit: Toolkit;
  readonly nccl: NcclInstallation;
  readonly cache: CompileCache;
}

/** Compiled code, and whether it was there already. */
export interface Cubin {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cached: boolean;
  readonly milliseconds: number;
}

/**
 * Compiles a kernel for an architecture such as `sm_90`, or takes what was compiled before.
 *
 * @throws NcclError `NCCLTS_COMPILE` with diagnostics at the kernel's own lines.
 */
export async function compileCubin(
  compiler: Compiler,
  source: CudaSource,
  module: Module,
  arch: string,
): Promise<Cubin> {
  const started = performance.now();
  const { toolkit, nccl, cache } = compiler;
  const job = { text: source.text, output: 'cubin', arch, includes: [nccl.include] } as const;
  const key = cacheKey({
    kind: 'cubin',
    text: source.text,
    flags: nvccFlags(job).join(' '),
    nccl: nccl.version,
    compiler: await compilerIdentity(toolkit),
  });
  const kept = await cache.get(key);
  if (kept !== undefined) return { bytes: kept, cached: true, milliseconds: performance.now() - started };
  const compiled = await runNvcc(toolkit, job);
  if (!compiled.ok) throw compileError(compiled.messages, source, module, toolkit);
  await cache.put(key, compiled.bytes);
  return { bytes: compiled.bytes, cached: false, milliseconds: performance.now() - started };
}

function compileError(messages: string, source: CudaSource, module: Module, toolkit: Toolkit): NcclError {
  const diagnostics: readonly Diagnostic[] = compileDiagnostics(messages, source);
  const places = diagnostics.filter(({ labels }) => labels.length > 0);
  const shown = places.length === 0 ? '' : `\n\n${renderDiagnostics(places, module.sources)}`;
  return new NcclError(
    'NCCLTS_COMPILE',
    `The CUDA C++ made from kernel '${module.name}' does not compile with ${toolkit.nvcc}: a defect of @nccl-ts/backend-cuda, or ` +
      `headers that it does not know.${shown}\n\n${messages}`,
    { details: { kernel: module.name, diagnostics, messages } },
  );
}
