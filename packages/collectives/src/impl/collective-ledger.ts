import type { Companion, ReportMisuse } from '@nccl-ts/communicator';
import { NcclError, type CollectiveName, type ScalarKind } from '@nccl-ts/core';
import { callLocation, stackLocation, type DefinitionSite } from '@nccl-ts/kernel';
import type { Algorithm } from '../algorithms/algorithm.ts';

/** The part of a rank's collective call that must be the same on all ranks. */
export interface CollectiveNote {
  readonly name: CollectiveName | 'allReduceRMSNorm' | `prepareCollective of ${CollectiveName}`;
  readonly element: ScalarKind;
  readonly count: number;
  readonly op: string | undefined;
  /** `undefined` for collectives without a root. */
  readonly root: number | undefined;
  /** The algorithm and launch of the call; `undefined` if it has no elements, and so no work. */
  readonly selection: RecordedSelection | undefined;
  /** Absent if call sites are not recorded. */
  readonly site: DefinitionSite | undefined;
}

/**
 * The choices on which all ranks must agree, because the barriers of one kernel count the arrivals
 * of the other ranks' kernels.
 */
export interface RecordedSelection {
  readonly algorithm: Algorithm;
  readonly ctas: number;
  readonly threads: number;
}

/** The first rank's call at one position, kept until all ranks have made theirs. */
interface Awaited {
  readonly rank: number;
  readonly note: CollectiveNote;
  /** The number of ranks that have not made the call yet. */
  missing: number;
}

/**
 * Compares the calls of a communicator's ranks: the n-th collective of each rank must be the same.
 * It keeps one record for each call that some ranks have made and others have not.
 *
 * It compares only ranks of one process, and ignores buffers, factors of operators, and streams.
 * Once a graph has captured a collective, or one could not be launched, it no longer compares the
 * communicator's calls.
 */
export class CollectiveLedger implements Companion {
  readonly #ranks: number;
  readonly #reportMisuse: ReportMisuse | undefined;
  /** The number of calls that each rank has made. */
  readonly #made = new Map<number, number>();
  readonly #awaited = new Map<number, Awaited>();
  #isLost = false;

  constructor(localRanks: readonly number[], reportMisuse?: ReportMisuse) {
    this.#ranks = localRanks.length;
    this.#reportMisuse = reportMisuse;
  }

  /**
   * True if a check needs the call sites for its report. Recording one takes longer than everything
   * else here.
   */
  get wantsSites(): boolean {
    return this.#compares && this.#reportMisuse !== undefined;
  }

  get #compares(): boolean {
    return this.#ranks > 1 && !this.#isLost;
  }

  /**
   * Stops comparing calls. The calls can no longer be matched, because a graph has captured some of
   * them or a launch has failed.
   */
  loseTrack(): void {
    this.#isLost = true;
    this.#awaited.clear();
  }

  /**
   * Records the next calls of a rank.
   *
   * @throws NcclError `NCCL_INVALID_USAGE`, without recording any call, if another rank has made a
   *   different call at the same position.
   */
  note(rank: number, notes: readonly CollectiveNote[]): void {
    if (!this.#compares) return;
    const first = this.#made.get(rank) ?? 0;
    notes.forEach((note, i) => {
      const awaited = this.#awaited.get(first + i);
      if (awaited !== undefined && !isSame(awaited.note, note)) {
        throw this.#disagreement(first + i, awaited, { rank, note });
      }
    });
    notes.forEach((note, i) => this.#takeDown(rank, first + i, note));
    this.#made.set(rank, first + notes.length);
  }

  #takeDown(rank: number, nth: number, note: CollectiveNote): void {
    const awaited = this.#awaited.get(nth);
    if (awaited === undefined) this.#awaited.set(nth, { rank, note, missing: this.#ranks - 1 });
    else if (awaited.missing === 1) this.#awaited.delete(nth);
    else awaited.missing--;
  }

  // A rank that never calls leaves the others waiting, which is reported as a deadlock.
  atRest(): undefined {
    return undefined;
  }

  atEnd(): undefined {
    return undefined;
  }

  #disagreement(nth: number, first: Called, later: Called): NcclError {
    const withSelection = isSame({ ...first.note, selection: undefined }, { ...later.note, selection: undefined });
    const calls = [first, later]
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ rank, note }) => {
        const call = stackLocation(note.site?.stack);
        return { rank, does: callText(note, withSelection), ...(call === undefined ? {} : { call }) };
      });
    const callTexts = calls.map(({ rank, does }) => `rank ${rank} calls ${does}`).join(', ');
    const error = new NcclError(
      'NCCL_INVALID_USAGE',
      `cannot start collective ${nth} of this communicator because its ranks disagree: ${callTexts}; ` +
        'let all ranks make the same calls in the same order.',
    );
    this.#reportMisuse?.({ error, calls });
    return error;
  }
}

interface Called {
  readonly rank: number;
  readonly note: CollectiveNote;
}

function isSame(a: CollectiveNote, b: CollectiveNote): boolean {
  return (
    a.name === b.name &&
    a.count === b.count &&
    a.element === b.element &&
    a.op === b.op &&
    a.root === b.root &&
    a.selection?.algorithm === b.selection?.algorithm &&
    a.selection?.ctas === b.selection?.ctas &&
    a.selection?.threads === b.selection?.threads
  );
}

/** With `withSelection`, the calls differ only in their ways, so the text includes them. */
function callText(
  { name, element, count, op, root, selection: selected, site }: CollectiveNote,
  withSelection: boolean,
): string {
  const parts = [
    ...(op === undefined ? [] : [op]),
    `${count} ${element}`,
    ...(root === undefined ? [] : [`root ${root}`]),
    ...(withSelection && selected !== undefined
      ? [`${selected.algorithm}, ${selected.ctas} x ${selected.threads} threads`]
      : []),
  ];
  const place = site === undefined ? undefined : callLocation(site);
  return `${name}(${parts.join(', ')})${place === undefined ? '' : ` at ${place.replace(/^file:\/\//, '')}`}`;
}
