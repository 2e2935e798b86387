import { NcclError } from '@nccl-ts/core';
import type { Finding } from '@nccl-ts/findings';
import { entryOf, readPtxModule, type Harness } from '@nccl-ts/harness';
import { demangle } from '@nccl-ts/ptx';
import { diffOf, edited, editedSource, ptxDiffOf, withOwnLines } from '../edits.ts';
import { entryName } from '../entry-name.ts';
import { AS_IT_IS, inputsOf, type ContextMemory, type RelaxInput } from '../inputs.ts';
import { tried } from '../checked-text.ts';
import { acrossInputs } from './across-inputs.ts';
import type { AuthorSource } from './author-source.ts';
import { callsBetween } from './calls-between.ts';
import { copiedCalls } from './copied-calls.ts';
import { compiledCalls, inSource } from './in-source.ts';
import { mending } from './mending.ts';
import { nearestFirst } from './relevance.ts';
import { repairOf, repairReport, unsearched, type Repair, type RepairReport } from './repair-report.ts';
import { editsOf, Search } from './search.ts';
import type { Strengthening } from './strengthening.ts';
import { strengtheningsOf } from './strengthenings.ts';

export interface RepairOptions extends ContextMemory {
  /** The name of the text, for messages and the diff. @default 'kernel.ptx' */
  readonly name?: string;
  /** Returns the text of an author's file that the PTX names, for the lines of the finding. */
  readonly source?: (path: string) => string | undefined;
  /** The seconds after which the check of one text in one input ends. @default 5 */
  readonly seconds?: number;
  /**
   * The seconds after which the search for a first repair ends. When there is one, the search for
   * others and the checks in other inputs take a few times as long.
   * @default 8
   */
  readonly patience?: number;
  /** The number of CTAs that a GPU can run at once. @default that of the simulator */
  readonly residentCtas?: number;
  /** The source that was compiled to `text`. Repairs are written there where they can be. */
  readonly author?: AuthorSource;
  /** The most repairs to report. @default 3 */
  readonly most?: number;
  /** Called before each step, with what is done. */
  readonly onProgress?: (doing: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Finds the smallest changes after which the check of a kernel finds no error: stronger orders and
 * wider scopes, fences, fences of proxies, waits for copies, and barriers of threads.
 *
 * Each repair has no error in the harness as it is, nor in any of the inputs of `relax` in which
 * the kernel had none before, or in which another repair has none. It is proven as far as the check
 * proves. A repair says nothing of other inputs.
 *
 * @param text the PTX of the kernel, whose harness names one entry
 * @throws NcclError `NCCLTS_COMPILE` if the text cannot be read; `NCCL_INVALID_USAGE` if there is
 *   no verdict for the kernel as it is; `NCCLTS_ABORTED` when `signal` fires.
 */
export async function repair(harness: Harness, text: string, options: RepairOptions = {}): Promise<RepairReport> {
  const { name = 'kernel.ptx', source, seconds = 5, patience = 8, residentCtas, most = 3 } = options;
  const { onProgress, signal, author, inputs: read, outputs: overwritten } = options;
  const begin = performance.now();
  const module = readPtxModule(text, name);
  const entry = entryOf(module, entryName(harness, 'repair'));
  const onCheck = (doing: string): void => {
    if (signal?.aborted === true) throw new NcclError('NCCLTS_ABORTED', 'repair: the signal was fired.');
    onProgress?.(doing);
  };
  const inputs = inputsOf(harness, { inputs: read, outputs: overwritten });
  const base = inputs.find((one) => one.name === AS_IT_IS);
  if (base === undefined) throw new TypeError('repair: no input is the harness as it is');
  // The lines of the PTX are needed here, and not the author's.
  const own = { name, source: undefined, seconds, residentCtas };
  const repaired = {
    textOf: (changes: readonly Strengthening[]) => ptxOf(text, changes),
    check: async (changed: string, input: RelaxInput) => tried(changed, input, own),
  };
  const search = new Search(repaired, begin + 1000 * patience, onCheck);
  const original = await search.check([], base);
  if (original.kind === 'clean') return Object.freeze({ repairs: [], checks: search.checks });
  if (original.kind === 'none')
    throw new NcclError('NCCL_INVALID_USAGE', `repair: there is no verdict for the kernel as it is: ${original.why}.`);
  const shown = await tried(text, base, { name, source, seconds, residentCtas });
  const finding = shown.kind === 'wrong' ? shown.finding : original.finding;
  const without = unsearched(finding, search.checks);
  if (without !== undefined) return without;
  const candidates = nearestFirst(
    strengtheningsOf(module, entry, isShared(original.finding)),
    original.finding,
    ({ source: of, line }) => (of === name ? line : undefined),
  );
  const found = await mending(search, base, candidates, original.finding, {
    most,
    ...(author === undefined ? { copies: [] } : callsIn(author, plainEntry(entry.name), finding, onCheck)),
  });
  if (found.sets.length > 0) search.extendTo(performance.now() + 4000 * patience);
  const offers = await acrossInputs(search, found.sets, { base, inputs, most, warnings: original.warnings });
  const repairs: Repair[] = [];
  for (const offer of offers) {
    const changes =
      author === undefined ? offer.changes : await inSource(search, offer, { module, author, inputs, onCheck });
    const [written] = changes.flatMap((one) => one.written ?? []);
    const changed =
      written === undefined || author === undefined ? undefined : editedSource(author.text, written.edits);
    const mended = written?.text ?? withOwnLines(text, editsOf(changes));
    repairs.push(
      repairOf(changes, offer, {
        text: mended,
        ...(changed === undefined || author === undefined
          ? { diff: ptxDiffOf(text, mended, name), isSource: false }
          : { source: changed, diff: diffOf(author.text, changed, author.file), isSource: true }),
      }),
    );
  }
  return repairReport(finding, repairs, found, search.checks);
}

/** Calls of barriers of the ranks in an author's source, at the ends of a kernel and within it. */
function callsIn(author: AuthorSource, entry: string, { labels }: Finding, onCheck: (doing: string) => void) {
  const lines = labels.flatMap(({ place }) => (place?.location?.file === author.file ? [place.location.line] : []));
  return {
    copies: compiledCalls(author, copiedCalls(author.text, entry), onCheck),
    between: compiledCalls(author, callsBetween(author.text, entry, lines), onCheck),
  };
}

/** The PTX with changes. Every line keeps its number, unless a change was compiled. */
function ptxOf(text: string, changes: readonly Strengthening[]): string {
  const compiled = changes.find(({ written }) => written !== undefined)?.written;
  return compiled?.text ?? edited(text, editsOf(changes));
}

/** True if a finding is about shared memory. */
function isShared({ bytes }: Finding): boolean {
  return bytes?.place.kind === 'array' && bytes.place.space === 'shared';
}

/** The name of an entry in its source. */
function plainEntry(name: string): string {
  return /([A-Za-z_]\w*)(?=\s*(?:[<(]|$))/u.exec(demangle(name))?.[1] ?? name;
}
