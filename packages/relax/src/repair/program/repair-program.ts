import { NcclError } from '@nccl-ts/core';
import { walkBody } from '@nccl-ts/ir';
import { diffOf, editedSource } from '../../edits.ts';
import type { CheckedText } from '../../checked-text.ts';
import type { LaunchedKernel } from '../../program/changed-kernels.ts';
import {
  dividedBy,
  LARGER,
  LARGER_NAME,
  RANKS,
  type ProgramInput,
  type ProgramLaunch,
} from '../../program/check-program.ts';
import { acrossInputs } from '../across-inputs.ts';
import { mending } from '../mending.ts';
import { linesOf, nearestFirst, type LineOf } from '../relevance.ts';
import { repairOf, repairReport, unsearched, type Repair, type RepairReport } from '../repair-report.ts';
import { Search } from '../search.ts';
import type { Strengthening } from '../strengthening.ts';
import type { AuthorProgram } from './author-program.ts';
import { betweenLaunches } from './inserted-statements.ts';
import { programStrengthenings } from './program-strengthenings.ts';
import { editsOfProgram, RepairedProgram } from './repaired-program.ts';

export interface RepairProgramOptions extends ProgramLaunch {
  /**
   * The numbers of ranks to check. The last one with an error is the program as it is. With two
   * ranks, the neighbours on both sides are one rank, so that more repairs hold by chance.
   *
   * @default [2, 3, 4]
   */
  readonly ranks?: readonly number[];
  /**
   * The seconds after which the search for a first repair ends. When there is one, the search for
   * others and the checks in other inputs take a few times as long.
   *
   * @default 8
   */
  readonly patience?: number;
  /** The most repairs to report. @default 3 */
  readonly most?: number;
  /** Called before each step, with what is done. */
  readonly onProgress?: (doing: string) => void;
}

/**
 * Finds the smallest changes of TypeScript kernels after which the check of their program finds no
 * error. It tries stronger orders and wider scopes, fences, barriers of threads, barriers of the
 * ranks, for which a kernel without a session gets one, and `flush` for its requests. Each is
 * written in the author's text, which is then loaded and checked.
 *
 * A repair has no error on the last number of ranks with an error, nor in any of the inputs of
 * `relaxProgram` in which the program had none before, or in which another repair has none. It is
 * proven as far as the check proves, and says nothing of other inputs. Only the file of the kernel
 * in the finding changes.
 *
 * @param author the program. Its host is called once for each rank of each check, and must do the
 *   same each time.
 * @throws NcclError `NCCL_INVALID_USAGE` if there is no verdict for the program as it is, or the
 *   file of the kernel must not be changed; `NCCLTS_ABORTED` when `signal` fires.
 */
export async function repairProgram(author: AuthorProgram, options: RepairProgramOptions = {}): Promise<RepairReport> {
  const { lsaSize, ranks: counts = RANKS, patience = 8, most = 3, onProgress, signal } = options;
  const ranks = dividedBy(lsaSize, counts);
  const onCheck = (doing: string): void => {
    if (signal?.aborted === true) throw new NcclError('NCCLTS_ABORTED', 'repair: the signal was fired.');
    onProgress?.(doing);
  };
  const program = new RepairedProgram(author, options);
  const search = new Search(program, performance.now() + 1000 * patience, onCheck);
  const asRanks = ranks.map((count): ProgramInput => ({ name: `${count} ranks`, ranks: count, rewritten: 'none' }));
  const { base, original } = await lastWrong(search, asRanks);
  if (base === undefined || original?.kind !== 'wrong') return Object.freeze({ repairs: [], checks: search.checks });
  const { finding, warnings } = original;
  const without = unsearched(finding, search.checks);
  if (without !== undefined) return without;
  const file = program.repairs(finding);
  const lineOf: LineOf = ({ location }) => (location?.file === file.path ? location.line : undefined);
  const asked = finding.missing.flatMap(({ at }) => linesOf(at?.place, lineOf));
  const isNamed = ({ kind, lines }: Strengthening): boolean =>
    kind === 'order' && lines.some((line) => asked.includes(line));
  // A finding names the accesses to flags in this way, and not those to data.
  const all = programStrengthenings(program.kernels, file).map((one) =>
    isNamed(one) ? { ...one, silences: false } : one,
  );
  const candidates = nearestFirst(all, finding, lineOf);
  const named = candidates.filter((one) => isNamed(one));
  const found = await mending(search, base, candidates, finding, { most, copies: betweenLaunches(all), named });
  if (found.sets.length > 0) search.extendTo(performance.now() + 4000 * patience);
  const inputs: readonly ProgramInput[] = [
    ...asRanks.map((one) => (one.ranks === base.ranks ? base : one)),
    ...(program.scales ? [{ name: LARGER_NAME, ranks: base.ranks, rewritten: 'none', scale: LARGER } as const] : []),
    ...(lsaSize === undefined ? await splitInput(search, program.kernels) : []),
    { name: 'windows that are rewritten around each launch', ranks: base.ranks, rewritten: 'all' },
  ];
  const hasContext = ({ rewritten }: ProgramInput): boolean => rewritten !== 'none';
  const offers = await acrossInputs(search, found.sets, { base, inputs, most, warnings, hasContext });
  const repairs = offers.map((offer): Repair => {
    const edits = editsOfProgram(offer.changes, file.text);
    const text = editedSource(file.text, edits);
    return repairOf(offer.changes, offer, {
      text,
      source: text,
      diff: diffOf(file.text, text, file.path),
      edits,
      isSource: true,
    });
  });
  return repairReport(finding, repairs, found, search.checks);
}

/**
 * A program of the network in several load-store domains, if it can run there. A barrier of one
 * domain does not order the requests of all.
 */
async function splitInput(
  search: Search<ProgramInput>,
  kernels: readonly LaunchedKernel[],
): Promise<readonly ProgramInput[]> {
  const split = { name: '4 ranks in domains of 2', ranks: 4, lsaSize: 2, rewritten: 'none' } as const;
  if (!usesNetwork(kernels)) return [];
  const original = await search.check([], split);
  return original.kind === 'wrong' && original.finding.kind === 'race' ? [split] : [];
}

function usesNetwork(kernels: readonly LaunchedKernel[]): boolean {
  let isFound = false;
  for (const { module } of kernels) {
    walkBody(module.body, {
      statement: (one) => {
        isFound ||= one.kind === 'call' && one.name.startsWith('gin.');
      },
    });
  }
  return isFound;
}

/** The last input with an error. Throws if no input has a verdict. */
async function lastWrong(
  search: Search<ProgramInput>,
  inputs: readonly ProgramInput[],
): Promise<{ readonly base?: ProgramInput; readonly original?: CheckedText }> {
  let why: string | undefined;
  let hasVerdict = false;
  for (const base of inputs.toReversed()) {
    const original = await search.check([], base);
    if (original.kind === 'wrong') return { base, original };
    if (original.kind === 'none') why = original.why;
    else hasVerdict = true;
  }
  if (hasVerdict) return {};
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `repair: there is no verdict for the program as it is: ${why ?? 'no numbers of ranks are given'}.`,
  );
}
