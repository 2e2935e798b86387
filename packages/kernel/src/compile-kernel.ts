import { at, debugLog, NcclError } from '@nccl-ts/core';
import {
  param,
  alikeDiagnostics,
  renderDiagnostics,
  type Diagnostic,
  type Expression,
  type Module,
  type Param,
  type Source,
  type Statement,
} from '@nccl-ts/ir';
import { isParamType } from './author/param-guard.ts';
import type { ParamType } from './author/param-type.ts';
import { isUnknownValue } from './author/unknown-value.ts';
import { callLocation } from './capture/definition-site.ts';
import { callReports } from './diagnose/call-reports.ts';
import type { Kernel } from './kernel-value.ts';
import { paramOperand } from './lower/call-device-fn.ts';
import { contextOperand } from './lower/context.ts';
import { Environment } from './lower/environment.ts';
import { Lowering, TooLarge } from './lower/lowering.ts';
import { lowerKernelBody } from './lower/inline.ts';
import { flattenParam, paramIrType } from './lower/param.ts';
import type { Operand, RecordOperand } from './lower/operand.ts';
import { branchOnExit, deeperThan, MAX_BRANCHES } from './lower/structure.ts';
import { captureText, headOf, takenName } from './lower/text.ts';

/** The outcome of a compilation: a module, or diagnostics. */
export type CompileResult =
  | { readonly ok: true; readonly module: Module }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[]; readonly sources: readonly Source[] };

/** Compiles a kernel, and returns problems as values. The text of a kernel never makes it throw. */
export function analyseKernel(
  kernel: Pick<Kernel, 'name' | 'use' | 'params' | 'body'> & Partial<Pick<Kernel, 'apiVersion'>>,
): CompileResult {
  const l = new Lowering(new Environment());
  const text = captureText(l, kernel.name, kernel.body);
  const params: Param[] = [];
  let body: Statement[] = [];
  if (text !== undefined) {
    const span = { source: text.source, ...headOf(text.parsed, at(l.sources, text.source).text) };
    try {
      const context = contextOperand(
        l,
        `kernel '${kernel.name}'`,
        kernel.use,
        (name) => takenName(text, 0, name) ?? span,
      );
      const members = new Map<string, Operand>();
      for (const [name, type] of Object.entries(kernel.params)) {
        if (isUnknownValue(type)) members.set(name, { kind: 'poison' });
        else if (!isParamType(type)) {
          l.report(callReports.paramType(takenName(text, 1, name) ?? span, name));
          members.set(name, { kind: 'poison' });
        } else members.set(name, declareParam(name, type, params));
      }
      const args: RecordOperand = { kind: 'record', name: `the second parameter of kernel '${kernel.name}'`, members };
      lowerKernelBody(l, kernel.name, text, [context, args], span);
      body = branchOnExit(l.out, (statement) => statement.kind === 'return', l.tooDeep);
      const deep = deeperThan(body, MAX_BRANCHES);
      if (deep !== undefined) l.tooDeep(deep);
    } catch (cause) {
      if (!(cause instanceof TooLarge)) throw cause;
    }
  }
  const sources = Object.freeze([...l.sources]);
  if (l.diagnostics.length > 0) return { ok: false, diagnostics: Object.freeze([...l.diagnostics]), sources };
  const module: Module = Object.freeze({
    name: kernel.name,
    ...(kernel.apiVersion === undefined ? {} : { apiVersion: kernel.apiVersion }),
    params: Object.freeze(params),
    locals: Object.freeze([...l.locals]),
    arrays: Object.freeze([...l.arrays]),
    body: Object.freeze(body),
    sources,
  });
  return { ok: true, module };
}

/**
 * Compiles a kernel.
 *
 * @throws NcclError `NCCLTS_COMPILE` with the rendered diagnostics as message;
 *   `details.diagnostics` has the values.
 */
export function compileKernel(
  kernel: Pick<Kernel, 'name' | 'use' | 'params' | 'body' | 'site' | 'apiVersion'>,
): Module {
  const result = analyseKernel(kernel);
  debugLog('kernel', () =>
    result.ok ? `compiled ${summary(result.module)}` : `${kernel.name}: ${result.diagnostics.length} errors`,
  );
  if (result.ok) return result.module;
  const { diagnostics, sources } = result;
  const kinds = alikeDiagnostics(diagnostics).length;
  const counted = kinds === diagnostics.length ? '' : `, in ${diagnostics.length} places`;
  const count = `${kinds === 1 ? '1 error' : `${kinds} errors`}${counted}`;
  // The diagnostics contain the position, if it is known.
  const location = sources[0]?.locate?.(0) === undefined ? callLocation(kernel.site) : undefined;
  const called = location === undefined ? '' : `\n(kernel() was called at ${location})`;
  throw new NcclError(
    'NCCLTS_COMPILE',
    `kernel '${kernel.name}' does not compile: ${count}${called}\n\n${renderDiagnostics(diagnostics, sources)}`,
    {
      details: { kernel: kernel.name, diagnostics },
    },
  );
}

function summary({ name, params, locals, sources }: Module): string {
  return `${name}: ${params.length} parameters, ${locals.length} locals, ${sources.length} texts`;
}

function declareParam(name: string, type: ParamType, params: Param[]): Operand {
  const leaves = new Map<string, Expression>();
  for (const { name: path, type: leaf } of flattenParam(name, type)) {
    leaves.set(path, param(params.length, paramIrType(leaf)));
    params.push({ name: path, type: paramIrType(leaf) });
  }
  return paramOperand(type, name, (path): Expression => {
    const leaf = leaves.get(path);
    if (leaf === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `Parameter ${path} has no value.`);
    return leaf;
  });
}
