import { printModule } from '@nccl-ts/ir';
import { analyseKernel, type Kernel } from '@nccl-ts/kernel';

/** Returns the statements of a kernel, as the printer writes them. */
export function printed(of: Pick<Kernel, 'compile'>): string {
  const text = printModule(of.compile());
  return text.slice(text.indexOf('{\n'));
}

/**
 * Returns the calls of one function that a kernel makes, in order, each as its line without the
 * body.
 */
export function callsOf(name: string, of: Pick<Kernel, 'compile'>): readonly string[] {
  const lines = printed(of).split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line.startsWith(`call ${name}<`) || line.startsWith(`call ${name}(`));
}

/** Returns the errors of a kernel. */
export function messages(of: Pick<Kernel, 'name' | 'use' | 'params' | 'body'>): readonly string[] {
  const result = analyseKernel(of);
  return result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`);
}
