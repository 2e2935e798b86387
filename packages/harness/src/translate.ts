import { NcclError } from '@nccl-ts/core';
import {
  importKernel,
  matchingEntries,
  parsePtx,
  renderPtxDiagnostic,
  type PtxFunction,
  type PtxModule,
} from '@nccl-ts/ptx';
import { controlsDependents } from './controls-dependents.ts';
import { deviceCalls } from './calls/device-calls.ts';
import { ranksToCheck, type Harness } from './harness.ts';
import { knownWords } from './known-words.ts';
import { invalid } from './memory/memory-type.ts';
import type { TranslatedEntry } from './translated-entry.ts';

export interface TranslateOptions {
  /** The name of the file, for messages. */
  readonly name: string;
  /**
   * Returns the text of an author's file that the PTX names, so that findings show its lines.
   * Returns `undefined` if the file cannot be read.
   */
  readonly source?: (path: string) => string | undefined;
  /**
   * The number of ranks that will run the kernel. Arguments may depend on it.
   * @default the first of `ranksToCheck`
   */
  readonly ranks?: number;
}

/** The entry that a harness names, as a kernel. */
export interface Translated extends TranslatedEntry {
  /** The rendered warnings. */
  readonly warnings: readonly string[];
}

/**
 * Translates the entry that a harness names. It calls the setups once, because their arguments are
 * valid for every launch.
 *
 * @throws NcclError `NCCLTS_COMPILE` if the text is not PTX or uses something unsupported;
 *   `NCCL_INVALID_ARGUMENT` if no entry, or more than one, has the name; errors of a setup.
 */
export function translate(harness: Harness, text: string, { name, source, ranks }: TranslateOptions): Translated {
  const module = readPtxModule(text, name);
  const entry = entryOf(module, harness.entry);
  const { dynamicShared } = harness;
  const imported = importKernel(module, {
    entry: entry.name,
    ...knownWords(harness, ranks ?? ranksToCheck(harness)[0], entry),
    dynamicShared,
    calls: deviceCalls,
    ...(source === undefined ? {} : { source }),
  });
  const { kernel, params, diagnostics } = imported;
  const warnings = diagnostics.map((one) => renderPtxDiagnostic(one, module));
  return { kernel, params, entry, controlsDependents: controlsDependents(module, entry), warnings };
}

/** @throws NcclError `NCCLTS_COMPILE` if the text is not PTX. */
export function readPtxModule(text: string, name: string): PtxModule {
  const { module, diagnostics } = parsePtx(text, name);
  if (module !== undefined) return module;
  throw new NcclError(
    'NCCLTS_COMPILE',
    `cannot read ${name}: it is not PTX.\n${diagnostics.map((one) => renderPtxDiagnostic(one, { name, text })).join('\n\n')}`,
    {
      details: { diagnostics },
    },
  );
}

/** Finds the entry that the harness names. @throws NcclError if there is none, or more than one. */
export function entryOf(module: PtxModule, name: string | RegExp): PtxFunction {
  const found = matchingEntries(module, name);
  const [entry, ...others] = found;
  if (entry !== undefined && others.length === 0) return entry;
  const all = matchingEntries(module, /^/);
  const list = (entries: readonly PtxFunction[]): string => entries.map((one) => `\n  ${one.name}`).join('');
  throw invalid(
    entry === undefined
      ? `${module.name} has no entry ${String(name)}; it has ${all.length === 0 ? 'none: a template must be instantiated' : `these:${list(all)}`}`
      : `${module.name} has several entries that ${String(name)} may mean; write more of the name:${list(found)}`,
  );
}
