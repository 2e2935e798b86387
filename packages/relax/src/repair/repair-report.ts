import type { Finding } from '@nccl-ts/findings';
import type { Edit } from '../edits.ts';
import { costOf, type ChangeSet } from './change-set.ts';
import type { Strengthening } from './strengthening.ts';

/** A set of strengthenings after which the check finds no error. */
export interface Repair {
  readonly changes: readonly Strengthening[];
  /** The changes in a line, such as `relaxed -> release, and insert bar.sync 0`. */
  readonly title: string;
  /** The sum of the costs of its changes. */
  readonly cost: number;
  /** True if a change gives an order to plain data: the race is silent, and its cause remains. */
  readonly silences: boolean;
  /** The inputs in which no schedule has an error. */
  readonly proven: readonly string[];
  /** The inputs in which the check has sampled schedules, and found no error. */
  readonly sampled: readonly string[];
  /** The inputs in which it is as wrong as before, with the reason. */
  readonly fails: readonly { readonly input: string; readonly why: string }[];
  /** The PTX with the changes. For a program, its file. */
  readonly text: string;
  /** The author's source with the changes. Present if `isSource`. */
  readonly source?: string;
  /** The difference: of the author's source if `isSource`, else of the PTX. */
  readonly diff: string;
  /** The changes of a TypeScript file. */
  readonly edits?: readonly Edit[];
  readonly isSource: boolean;
}

/** The result of `repair`. */
export interface RepairReport {
  /** The error of the harness as it is. Absent if there is none. */
  readonly finding?: Finding;
  /** The repairs that were found, the smallest first. */
  readonly repairs: readonly Repair[];
  /**
   * Why there is no repair, or only one that silences. `protocol`: neither the changes near the
   * places of the finding nor all orders at once mend it, so that an index, an epoch, a condition
   * or a size may be wrong. Orders are not tried if no flag connects the two accesses. `time`: the
   * search ended before it had tried these. `misuse`: a call breaks a rule of the API, which no
   * order mends, so that nothing was tried.
   */
  readonly reason?: 'protocol' | 'time' | 'misuse';
  /** The number of checks. */
  readonly checks: number;
}

/** A repair of these changes, with what checks have shown of them. */
export function repairOf(
  changes: ChangeSet,
  { proven, sampled, fails }: Pick<Repair, 'proven' | 'sampled' | 'fails'>,
  made: Pick<Repair, 'text' | 'source' | 'diff' | 'edits' | 'isSource'>,
): Repair {
  const silences = changes.some((one) => one.silences);
  const what = changes.map(({ does, kind }) =>
    kind === 'call' ? `${does.replace(/^insert /u, 'call ')} there` : does,
  );
  const title = `${what.join(', and ')}${silences ? ' (it only silences: the kernel does not wait for this data)' : ''}`;
  return { changes, title, cost: costOf(changes), silences, proven, sampled, fails, ...made };
}

/** The report of an error that no order can mend, without a search; `undefined` for others. */
export function unsearched(finding: Finding, checks: number): RepairReport | undefined {
  return finding.kind === 'misuse'
    ? Object.freeze({ finding, repairs: Object.freeze([]), reason: 'misuse', checks })
    : undefined;
}

/** The report of a search. `isComplete` is false if the time ended before all was tried. */
export function repairReport(
  finding: Finding,
  repairs: readonly Repair[],
  { isComplete }: { readonly isComplete: boolean },
  checks: number,
): RepairReport {
  const isMended = repairs.some(({ silences }) => !silences);
  return Object.freeze({
    finding,
    repairs: Object.freeze(repairs),
    ...(isMended ? {} : { reason: isComplete ? ('protocol' as const) : ('time' as const) }),
    checks,
  });
}
