import { normalise, printModule, renderDiagnostics, type SourceLocation } from '@nccl-ts/ir';
import { analyseKernel } from '@nccl-ts/kernel';

import { broken } from './kernels/broken.ts';
import { minifiedForms } from './kernels/minified-forms.ts';
import { kernels, runKernels } from './run-kernels.ts';

/** The captures of one combination of building and loading. */
export interface Captures {
  /** The printed normal form of each kernel's IR, without kernels whose form is known to differ. */
  readonly ir: Readonly<Record<string, string>>;
  /** The contents of memory after each kernel (see `runKernels`). */
  readonly bytes: Readonly<Record<string, string>>;
  /**
   * The lines of the mistakes in the broken kernel, or `null` if only the captured text is known.
   */
  readonly locations: readonly (SourceLocation | null)[];
  /** The reports on these mistakes, as text. */
  readonly report: string;
}

/** Kernels whose normal form tools may change, if the results stay the same. */
const formed = kernels.filter(({ name }) => name !== minifiedForms.name);

export async function capture(): Promise<Captures> {
  const ir = Object.fromEntries(formed.map((kernel) => [kernel.name, printModule(normalise(kernel.compile()))]));
  const result = analyseKernel(broken);
  if (result.ok) throw new Error('the broken kernel compiled');
  const { diagnostics, sources } = result;
  const locations = diagnostics.map(({ labels: [label] }) => {
    if (label === undefined) return null;
    return sources[label.span.source]?.locate?.(label.span.start) ?? null;
  });
  return {
    ir,
    bytes: await runKernels(),
    locations,
    report: renderDiagnostics(diagnostics, sources),
  };
}
