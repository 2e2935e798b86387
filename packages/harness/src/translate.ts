import { NcclError, showValue } from '@nccl-ts/core';
import {
  demangle,
  importKernel,
  matchingEntries,
  parsePtx,
  renderPtxDiagnostic,
  type PtxFunction,
  type PtxModule,
} from '@nccl-ts/ptx';
import { controlsDependents } from './controls-dependents.ts';
import { deviceCalls } from './calls/device-calls.ts';
import { describeRanks, type RankDescription } from './describe-ranks.ts';
import { shortTitleOf } from './short-title.ts';
import { kernelsOf, ranksToCheck, type Harness } from './harness.ts';
import { atRank, clusterOf, type HarnessKernel, type RankOf } from './harness-kernel.ts';
import { expectThreads, placesRead, placeWarnings } from './launch-shape.ts';
import { textOf, type PtxSource, type KernelTexts } from './ptx-source.ts';
import { knownWords } from './known-words.ts';
import { invalid } from './memory/memory-type.ts';
import type { LaunchStep } from './step.ts';
import type { TranslatedEntry, TranslatedKernel, TranslatedKernels } from './translated-entry.ts';

export interface TranslateOptions {
  /** The name of the text, for messages. A function of `texts` names its own. */
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

/**
 * The kernels that a harness names. A harness of one kernel can be used as that kernel: the fields
 * of an entry are those of the first.
 */
export interface Translated extends TranslatedEntry, TranslatedKernels {
  /** The rendered warnings. */
  readonly warnings: readonly string[];
}

/**
 * Translates the entries that a harness names. It calls the setups once, because the types of their
 * arguments are valid for every launch. Kernels that no rank launches are left out.
 *
 * @param texts the text of all kernels, or a function that returns the text of a file
 * @throws NcclError `NCCLTS_COMPILE` if a text is not PTX or uses something unsupported;
 *   `NCCL_INVALID_ARGUMENT` if no entry, or more than one, has the name, or no rank launches a
 *   kernel; errors of a setup.
 */
export function translate(harness: Harness, texts: KernelTexts, options: TranslateOptions): Translated {
  const { name: nameOfAll, source, ranks: nRanks = ranksToCheck(harness)[0] } = options;
  const described = describeRanks(harness, nRanks);
  const launched = launchesOf(harness, described);
  const modules = new Map<string, PtxModule>();
  const kernels: TranslatedKernel[] = [];
  const warnings: string[] = [];
  for (const [name, kernel] of kernelsOf(harness)) {
    const launches = launched.get(name) ?? new Map<number, readonly LaunchStep[]>();
    const textFor = (place: RankOf): PtxSource => textOf(name, kernel, place, texts, nameOfAll);
    for (const { text, wanted, ranks } of variantsOf(name, kernel, [...launches.keys()], nRanks, textFor)) {
      const module = modules.get(text.text) ?? readPtxModule(text.text, text.name);
      modules.set(text.text, module);
      const entry = entryOf(module, wanted);
      const cluster = clusterOf(kernel);
      const steps = ranks.flatMap((rank) => launches.get(rank) ?? []);
      const imported = importKernel(module, {
        entry: entry.name,
        ...knownWords(
          harness,
          kernel,
          described,
          steps.map(({ args }) => args),
          entry,
        ),
        dynamicShared: kernel.dynamicShared ?? 0,
        ...(cluster === undefined ? {} : { cluster }),
        calls: deviceCalls,
        ...(source === undefined ? {} : { source }),
      });
      const what = harness.kernels === undefined ? 'harness' : `harness: kernel ${name}`;
      warnings.push(...shapeWarnings(module, entry, { kernel, name: imported.kernel.name, what }, steps));
      warnings.push(...imported.diagnostics.map((one) => renderPtxDiagnostic(one, module)));
      kernels.push({
        name,
        ranks,
        module: [...modules.values()].indexOf(module),
        kernel: imported.kernel,
        params: imported.params,
        entry,
        controlsDependents: controlsDependents(module, entry),
      });
    }
  }
  const [first] = kernels;
  if (first === undefined) throw launchesNothing(nRanks);
  const { kernel, params, entry, controlsDependents: controls = false } = first;
  const made = { kernels, nRanks, ...(source === undefined ? {} : { source }) };
  return { kernel, params, entry, controlsDependents: controls, ...made, warnings };
}

/** The ranks that launch a kernel from one text and entry. */
interface Variant {
  readonly text: PtxSource;
  readonly wanted: string | RegExp;
  readonly ranks: number[];
}

function variantsOf(
  name: string,
  kernel: HarnessKernel,
  ranks: readonly number[],
  nRanks: number,
  textFor: (place: RankOf) => PtxSource,
): Iterable<Variant> {
  const variants = new Map<string, Variant>();
  for (const rank of ranks) {
    const place = { rank, nRanks };
    const text = textFor(place);
    const wanted = entryAt(name, kernel, place);
    const key = JSON.stringify([String(wanted), text.text]);
    const variant = variants.get(key) ?? { text, wanted, ranks: [] };
    variant.ranks.push(rank);
    variants.set(key, variant);
  }
  return variants.values();
}

/**
 * Compares the extents of launches with what the entry distinguishes.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if a launch has other threads than the entry requires.
 */
function shapeWarnings(
  module: PtxModule,
  entry: PtxFunction,
  { kernel, name, what }: { readonly kernel: HarnessKernel; readonly name: string; readonly what: string },
  steps: readonly LaunchStep[],
): readonly string[] {
  const places = placesRead(module, entry);
  const found = new Set<string>();
  for (const { grid = kernel.grid, block = kernel.block } of steps) {
    expectThreads(entry, block, what);
    for (const warning of placeWarnings(name, places, { grid, block })) found.add(warning);
  }
  return [...found];
}

/** The launches by kernel and rank. */
function launchesOf(
  { launches }: Harness,
  described: readonly RankDescription[],
): ReadonlyMap<string, ReadonlyMap<number, readonly LaunchStep[]>> {
  const found = new Map<string, Map<number, LaunchStep[]>>();
  for (const { rank, stepsOf } of described) {
    for (let launch = 0; launch < launches; launch++) {
      for (const step of stepsOf(launch)) {
        if (step.kind !== 'launch') continue;
        const ofKernel = found.get(step.kernel) ?? new Map<number, LaunchStep[]>();
        found.set(step.kernel, ofKernel);
        const ofRank = ofKernel.get(rank) ?? [];
        ofKernel.set(rank, ofRank);
        ofRank.push(step);
      }
    }
  }
  return found;
}

function entryAt(name: string, kernel: HarnessKernel, place: RankOf): string | RegExp {
  const entry: unknown = atRank(kernel.entry, place);
  if (typeof entry === 'string' || entry instanceof RegExp) return entry;
  throw invalid(
    `cannot launch kernel ${name} on rank ${place.rank} of ${place.nRanks} because its entry is ${showValue(entry)} there; return the name of an entry, or launch it on other ranks only.`,
  );
}

export function launchesNothing(nRanks: number): NcclError {
  return invalid(
    `cannot run the harness because none of its ${nRanks} ranks launches a kernel; write launch(...) into the steps of one.`,
  );
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

/**
 * Finds the entry that the harness names; without a name, the only entry.
 *
 * @throws NcclError if there is none, or more than one.
 */
export function entryOf(module: PtxModule, name: string | RegExp | undefined): PtxFunction {
  const all = matchingEntries(module, /^/);
  const found = name === undefined ? all : matchingEntries(module, name);
  const [entry, ...others] = found;
  if (entry !== undefined && others.length === 0) return entry;
  const list = (entries: readonly PtxFunction[]): string =>
    entries.map((one) => `\n  ${shortTitleOf(module, demangle(one.name))}`).join('');
  const wanted = name === undefined ? '' : ` ${String(name)}`;
  if (entry === undefined) {
    throw invalid(
      `${module.name} has no entry${wanted}; it has ${all.length === 0 ? 'none: a template must be instantiated' : `these:${list(all)}`}`,
    );
  }
  throw invalid(
    name === undefined
      ? `${module.name} has several entries; name one:${list(all)}`
      : `${module.name} has several entries that${wanted} may mean; write more of the name:${list(found)}`,
  );
}
