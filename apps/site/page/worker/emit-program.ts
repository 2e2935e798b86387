import { emitCuda } from '@nccl-ts/backend-cuda/emit';
import { sim } from '@nccl-ts/backend-sim';
import { emitWgsl, webgpu } from '@nccl-ts/backend-webgpu';
import { NCCL_VERSION, NcclError, scalarKinds } from '@nccl-ts/core';
import {
  printModuleLines,
  renderDiagnostics,
  validate,
  type Capabilities,
  type Module,
  type Span,
  type ValidatedModule,
} from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import type { EmitResult, EmitTarget } from '../protocol.ts';
import { kernelsOf } from './kernels-of.ts';

/** The number of threads in a CTA, which is a constant in the text for WebGPU. */
const BLOCK = 64;

/** The code that the kernels of a program compile to. */
export async function emitProgram(text: string, target: EmitTarget, ranks: number): Promise<EmitResult> {
  const { kernels } = await kernelsOf(text);
  const parts = kernels.map((kernel) => emitters[target](kernel, ranks));
  return { text: parts.map((part) => part.text).join('\n'), lines: parts.flatMap(({ lines }) => [...lines, 0]) };
}

type Emit = (kernel: Kernel, ranks: number) => EmitResult;

const emitters: Readonly<Record<EmitTarget, Emit>> = {
  ir: (kernel) => {
    const module = kernel.compile();
    const { text, lines } = printModuleLines(module);
    return { text, lines: numbersOf(module, lines) };
  },
  wgsl: (kernel, ranks) => {
    const module = validated(kernel, webgpu({ ranks }).capabilities);
    const { text, lines = [] } = emitWgsl(module, {
      maxWorkgroup: 256,
      maxSharedBytes: 16384,
      blockDim: { x: BLOCK, y: 1, z: 1 },
      fields: { nRanks: ranks, lsaSize: ranks },
      lsaSize: ranks,
      exact: true,
      checks: true,
      fuel: 2 ** 22,
      segments: 0,
      lines: true,
    });
    return { text, lines: numbersOf(module, lines) };
  },
  cuda: (kernel, ranks) => {
    const module = validated(kernel, { ...sim({ ranks }).capabilities, backend: 'cuda', scalars: scalarKinds });
    const { text, lines } = emitCuda(module, { ncclVersion: NCCL_VERSION.code });
    return { text, lines: numbersOf(module, lines) };
  },
};

function numbersOf(module: Module, lines: readonly (Span | undefined)[]): readonly number[] {
  return lines.map((span) => (span === undefined ? 0 : lineOf(module, span)));
}

/**
 * The line of the program that the author wrote: for inlined code, the line of the outermost call.
 */
function lineOf(module: Module, span: Span): number {
  if (span.inlinedAt !== undefined) return lineOf(module, span.inlinedAt);
  return module.sources[span.source]?.locate?.(span.start)?.line ?? 0;
}

function validated(kernel: Kernel, capabilities: Capabilities): ValidatedModule {
  const module = kernel.compile();
  const checked = validate(module, capabilities);
  if (!checked.ok) throw new NcclError('NCCLTS_COMPILE', renderDiagnostics(checked.diagnostics, module.sources));
  return checked.module;
}
