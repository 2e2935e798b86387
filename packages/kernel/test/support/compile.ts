import { printModule, type Diagnostic, type Module } from '@nccl-ts/ir';
import { analyseKernel, kernel, type CompileResult, type Kernel, type ParamTypes, type Use } from '@nccl-ts/kernel';
import { bodyOf } from './body-of.ts';

/** The additional inputs of a kernel made from text. */
export interface Given {
  readonly name?: string;
  readonly use?: Use;
  readonly params?: ParamTypes;
}

/** A kernel with any parameters. */
export type AnyKernel = Pick<Kernel, 'name' | 'use' | 'params' | 'body'>;

/** A kernel whose captured text is `text`, even if TypeScript would refuse it. */
export function kernelFromText(text: string, { name = 'fromText', use = {}, params = {} }: Given = {}): Kernel {
  return kernel({ name, use, params }, bodyOf(text) as never) as Kernel;
}

/** The module of a kernel that has to compile. */
export function moduleOf(of: AnyKernel): Module {
  const result = analyse(of);
  if (!result.ok) throw new Error(result.diagnostics.map(oneLine).join('\n'));
  return result.module;
}

/**
 * The locals, arrays and statements of a kernel that has to compile, as the printer writes them.
 */
export function ir(of: AnyKernel): string {
  const lines = printModule(moduleOf(of)).trimEnd().split('\n');
  const open = lines.indexOf('{');
  const declared = lines.slice(0, open).filter((line) => line.startsWith('array') || line.startsWith('local'));
  const body = lines.slice(open + 1, -1).map((line) => line.replace(/^ {2}/, ''));
  return `\n${[...declared, ...body].join('\n')}\n`;
}

/** The diagnostics of a kernel; empty if there are none. */
export function diagnosticsOf(of: AnyKernel): readonly Diagnostic[] {
  const result = analyse(of);
  return result.ok ? [] : result.diagnostics;
}

/**
 * `K1005 'x' is not defined inside the kernel [x]` for each error: the code, the message, and the
 * text under the caret.
 */
export function complaints(of: AnyKernel): readonly string[] {
  const result = analyse(of);
  if (result.ok) return [];
  return result.diagnostics.map((diagnostic) => {
    const span = diagnostic.labels[0]?.span;
    const text = span && result.sources[span.source]?.text.slice(span.start, span.end);
    return `${oneLine(diagnostic)} [${text}]`;
  });
}

export function analyse(of: AnyKernel): CompileResult {
  return analyseKernel(of);
}

function oneLine({ code, message }: Diagnostic): string {
  return `${code} ${message}`;
}
