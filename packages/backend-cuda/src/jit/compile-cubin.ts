import { NcclError } from '@nccl-ts/core';
import { renderDiagnostics, type Diagnostic, type Module } from '@nccl-ts/ir';
import type { CudaSource } from '../cuda-source.ts';
import { compileDiagnostics } from './compile-diagnostics.ts';
import { compileText } from './compile-text.ts';
import type { Compiler } from './compiler.ts';
import type { DeviceCompiler } from './device-compiler.ts';

export type { Compiler } from './compiler.ts';

/** Compiled code, and whether it came from the cache. */
export interface Cubin {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cached: boolean;
  readonly milliseconds: number;
}

/**
 * Compiles a kernel for an architecture such as `sm_90`, or reads it from the cache.
 *
 * @throws NcclError `NCCLTS_COMPILE` with diagnostics at the lines of the kernel.
 */
export async function compileCubin(
  compiler: Compiler,
  source: CudaSource,
  module: Module,
  arch: string,
): Promise<Cubin> {
  const started = performance.now();
  const { nccl } = compiler;
  const outcome = await compileText(compiler, {
    job: { text: source.text, output: 'cubin', arch, includes: [nccl.include] },
    key: { kind: 'cubin', nccl: nccl.version },
    isAuthors: (line) => source.lines[line - 1] !== undefined,
  });
  if (!outcome.ok) throw compileError(outcome.messages, source, module, outcome.by);
  return { bytes: outcome.bytes, cached: outcome.cached, milliseconds: performance.now() - started };
}

const withoutNvrtc = "With the option compiler: 'nvcc', NVRTC is skipped.";

function compileError(messages: string, source: CudaSource, module: Module, by: DeviceCompiler): NcclError {
  const diagnostics: readonly Diagnostic[] = compileDiagnostics(messages, source);
  const places = diagnostics.filter(({ labels }) => labels.length > 0);
  const shown = places.length === 0 ? '' : `\n\n${renderDiagnostics(places, module.sources)}`;
  return new NcclError(
    'NCCLTS_COMPILE',
    `The CUDA C++ generated for kernel '${module.name}' does not compile with ${by.title}: a defect of @nccl-ts/backend-cuda, or ` +
      `headers that it does not know.${by.name === 'nvrtc' ? ` ${withoutNvrtc}` : ''}${shown}\n\n${messages}`,
    { details: { kernel: module.name, compiler: by.name, diagnostics, messages } },
  );
}
