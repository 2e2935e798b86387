import { emptyWordTable, NcclError } from '@nccl-ts/core';
import { moduleKernel, type Kernel, type ParamType } from '@nccl-ts/kernel';
import type { PtxDiagnostic } from './syntax/diagnostic.ts';
import { translateEntry } from './lower/translate-entry.ts';
import { renderPtxDiagnostic } from './render-ptx-diagnostic.ts';
import { spansOf } from './source/spans-of.ts';
import { demangle, plainName } from './syntax/demangle.ts';
import { matchingEntries } from './syntax/matching-entries.ts';
import type { PtxFunction, PtxModule } from './syntax/module.ts';
import type { ImportOptions, ImportedParam } from './import-options.ts';

export interface ImportedKernel {
  /** The kernel. Launch it with one argument for each of `params`, by name. */
  readonly kernel: Kernel;
  readonly params: readonly ImportedParam[];
  /** The warnings. */
  readonly diagnostics: readonly PtxDiagnostic[];
}

/**
 * Makes a kernel from an entry of a PTX text.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if no entry, or more than one, has the name.
 * `NCCLTS_COMPILE` if the entry needs unsupported features. `details.diagnostics` lists all of
 * them, as `PtxDiagnostic`s.
 */
export function importKernel(module: PtxModule, options: ImportOptions): ImportedKernel {
  const entry = entryOf(module, options.entry);
  const translated = translateEntry(module, entry, spansOf(module, options.source), options);
  const errors = translated.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    throw new NcclError(
      'NCCLTS_COMPILE',
      `cannot translate ${entry.name} of ${module.name}.\n${renderedErrors(errors, module)}`,
      { details: { diagnostics: errors } },
    );
  }
  // A variable may be called `__proto__`.
  const params = emptyWordTable<ParamType>();
  for (const one of translated.params) {
    params[one.name] =
      one.kind === 'handle' ? one.type : { kind: 'scalar', scalar: one.kind === 'bytes' ? one.scalar : 'u64' };
  }
  return {
    kernel: moduleKernel({ name: plainName(entry.name), params }, () => translated.module),
    params: translated.params,
    diagnostics: translated.diagnostics,
  };
}

/** The most diagnostics in one message. */
const MOST_SHOWN = 20;

function renderedErrors(errors: readonly PtxDiagnostic[], module: PtxModule): string {
  const shown = errors.slice(0, MOST_SHOWN).map((one) => renderPtxDiagnostic(one, module));
  const left = errors.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('\n\n');
}

function entryOf(module: PtxModule, name: string | RegExp): PtxFunction {
  const found = matchingEntries(module, name);
  const [entry, ...others] = found;
  if (entry !== undefined && others.length === 0) return entry;
  const candidates = entry === undefined ? module.functions.filter(({ kind }) => kind === 'entry') : found;
  const list = candidates
    .map(({ name: one }) => `\n  ${one}${demangle(one) === one ? '' : `, which is ${demangle(one)}`}`)
    .join('');
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    entry === undefined
      ? `${module.name} has no entry ${String(name)}; its entries are:${list}`
      : `${String(name)} names several entries of ${module.name}; choose one of:${list}`,
  );
}
