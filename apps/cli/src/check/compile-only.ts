import { isNcclError } from '@nccl-ts/core';
import { diagnosticsToJson } from '@nccl-ts/findings';
import { renderDiagnostics, validate, type Capabilities, type Diagnostic, type Source } from '@nccl-ts/ir';
import { analyseKernel, type Kernel } from '@nccl-ts/kernel';
import { chooseKernel, loadModule } from '../module/load-module.ts';
import { counted } from '../output/counted.ts';
import { printOut } from '../output/print.ts';
import { visibleLine } from '../output/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import type { CheckCommandOptions } from './check-options.ts';

const FAILED = 1;

/** The result for one kernel. */
interface CompiledKernel {
  readonly file: string;
  readonly name: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly Source[];
}

/**
 * Compiles each kernel that the files export, for the simulator, and prints the errors. Runs no
 * kernel, and no function `host`. Returns the exit code.
 */
export async function compileOnly(files: readonly string[], options: CheckCommandOptions): Promise<number> {
  const { capabilities } = (await import('@nccl-ts/backend-sim')).sim({ ranks: options.ranks });
  const compiled: CompiledKernel[] = [];
  const skipped: string[] = [];
  for (const file of files) {
    const kernels = await kernelsOf(file, options).catch((error: unknown) => {
      // Patterns name modules without kernels too.
      if (files.length === 1 || !(error instanceof UsageError)) throw error;
      skipped.push(`${visibleLine(file)}: ${error.message}`);
      return [];
    });
    for (const kernel of kernels) compiled.push({ file, name: kernel.name, ...diagnosed(kernel, capabilities) });
  }
  const wrong = compiled.filter(({ diagnostics }) => diagnostics.length > 0);
  printOut(
    `${options.json === true ? jsonText(compiled) : [...skipped.map((why) => `skipped ${why}`), text(compiled, wrong)].join('\n')}\n`,
  );
  return wrong.length === 0 ? 0 : FAILED;
}

async function kernelsOf(file: string, options: CheckCommandOptions): Promise<readonly Kernel[]> {
  const module = await loadModule(file, options);
  if (options.kernel !== undefined) return [chooseKernel(module, options.kernel)];
  if (module.kernels.size === 0) {
    throw new UsageError(`${file} exports no kernel, and --compile-only does not run its function host`);
  }
  return [...new Set(module.kernels.values())];
}

function diagnosed(kernel: Kernel, capabilities: Capabilities): Pick<CompiledKernel, 'diagnostics' | 'sources'> {
  try {
    const module = kernel.compile();
    const checked = validate(module, capabilities);
    return { diagnostics: checked.ok ? [] : checked.diagnostics, sources: module.sources };
  } catch (error) {
    if (!isNcclError(error) || error.code !== 'NCCLTS_COMPILE') throw error;
    const result = analyseKernel(kernel);
    // Only a kernel of text fails with diagnostics. Others, from PTX, fail as a whole.
    if (result.ok) throw error;
    return result;
  }
}

function text(compiled: readonly CompiledKernel[], wrong: readonly CompiledKernel[]): string {
  const errors = wrong.map(
    ({ file, name, diagnostics, sources }) =>
      `${visibleLine(file)}: ${visibleLine(name)} does not compile\n\n${renderDiagnostics(diagnostics, sources)}\n`,
  );
  const all = counted(compiled.length, 'kernel');
  const summary =
    wrong.length === 0
      ? `${all} compiled, no errors; none ran, so races and deadlocks were not looked for`
      : `${wrong.length} of ${all} with errors; none ran`;
  return [...errors, summary].join('\n');
}

function jsonText(compiled: readonly CompiledKernel[]): string {
  const kernels = compiled.map(({ file, name, diagnostics, sources }) => ({
    file,
    name,
    diagnostics: diagnosticsToJson(diagnostics, sources),
  }));
  return JSON.stringify({ format: 'nccl-ts/compiled-kernels', version: 1, kernels }, undefined, 2);
}
