import type { Companion, ReportMisuse } from '@nccl-ts/communicator';
import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { FIFO_SLOTS } from '../fifo/step-fifo.ts';

/** A send or a receive in the ledger. It has at least one element. */
export interface TransferNote {
  readonly kind: 'send' | 'recv';
  /** The rank that requests it. */
  readonly rank: number;
  readonly peer: number;
  readonly count: number;
  readonly element: ScalarKind;
  /**
   * The number of slots of its link that it occupies until it is received; infinite if it has to
   * wait for its receive.
   */
  readonly slots: number;
  /** True if a graph captured it. A graph may be launched any number of times. */
  readonly isCaptured: boolean;
}

/** The unmatched operations from one rank to another: either all are sends or all are receives. */
interface Pair {
  readonly waiting: TransferNote[];
  /** True if a graph captured one of them, because the number of its launches is unknown. */
  isCaptured: boolean;
}

/** The most operations that a message names. */
const NAMED = 4;

/**
 * Matches the sends and receives of a communicator's ranks: the n-th send from a rank to a peer
 * matches the peer's n-th receive. It leaves out ranks in other processes, and pairs of ranks of
 * which a graph captured an operation.
 */
export class TransferLedger implements Companion {
  readonly #local: ReadonlySet<number>;
  readonly #pairs = new Map<string, Pair>();

  readonly #reportMisuse: ReportMisuse | undefined;

  constructor(localRanks: readonly number[], reportMisuse?: ReportMisuse) {
    this.#local = new Set(localRanks);
    this.#reportMisuse = reportMisuse;
  }

  /**
   * Records the operations that one rank is about to launch together.
   *
   * @throws NcclError `NCCL_INVALID_USAGE`, without recording any, if one differs from its match.
   *   With `isGroup`, it also throws if a rank's operation with itself has no match. A check
   *   reports the first of these errors.
   */
  note(notes: readonly TransferNote[], isGroup: boolean): void {
    const byPair = new Map<Pair, TransferNote[]>();
    for (const note of notes) {
      if (!this.#local.has(note.rank) || !this.#local.has(note.peer)) continue;
      const pair = this.#pairOf(note);
      if (note.isCaptured) pair.isCaptured = true;
      const same = byPair.get(pair);
      if (same === undefined) byPair.set(pair, [note]);
      else same.push(note);
    }
    for (const [pair, requested] of byPair)
      if (!pair.isCaptured) check(pair.waiting, requested, isGroup, this.#reportMisuse);
    for (const [{ waiting, isCaptured }, requested] of byPair) {
      if (isCaptured) waiting.length = 0;
      else for (const note of requested) takeDown(waiting, note);
    }
  }

  atRest(): NcclError | undefined {
    return leftOver(
      this.#waiting().flatMap((pair) => pair.filter((note, i) => note.kind === 'recv' || !fits(pair.slice(0, i + 1)))),
      'The host programs of all ranks have ended, and no rank has called the matching',
    );
  }

  atEnd(): NcclError | undefined {
    return leftOver(this.#waiting().flat(), 'The communicator has ended, and no rank has called the matching');
  }

  #waiting(): readonly (readonly TransferNote[])[] {
    return [...this.#pairs.values()].map(({ waiting }) => waiting);
  }

  #pairOf({ kind, rank, peer }: TransferNote): Pair {
    const key = kind === 'send' ? `${rank} ${peer}` : `${peer} ${rank}`;
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      pair = { waiting: [], isCaptured: false };
      this.#pairs.set(key, pair);
    }
    return pair;
  }
}

function takeDown(waiting: TransferNote[], note: TransferNote): void {
  if (waiting[0] === undefined || waiting[0].kind === note.kind) waiting.push(note);
  else waiting.shift();
}

/**
 * @throws NcclError if an operation of `requested` differs from its match, in `waiting` or, for a
 * rank with itself, in `requested`.
 */
function check(
  waiting: readonly TransferNote[],
  requested: readonly TransferNote[],
  isGroup: boolean,
  reportMisuse: ReportMisuse | undefined,
): void {
  const queue = (kind: TransferNote['kind']): UnmatchedTransfers => ({
    before: waiting[0]?.kind === kind ? waiting : [],
    behind: requested.filter((note) => note.kind === kind),
  });
  const [sends, receives] = [queue('send'), queue('recv')];
  const matched = Math.min(lengthOf(sends), lengthOf(receives));
  for (let i = 0; i < matched; i++) {
    const [sent, received] = [at(sends, i), at(receives, i)];
    if (sent === undefined || received === undefined) continue;
    if (sent.count === received.count && sent.element === received.element) continue;
    const error = new NcclError(
      'NCCL_INVALID_USAGE',
      `${transferText(sent)} matches ${transferText(received)}, but a send and its recv must have the same count and type.`,
    );
    reportMisuse?.({ error, calls: [sent, received].map((note) => ({ rank: note.rank, does: transferText(note) })) });
    throw error;
  }
  // No later call can match it.
  if (!isGroup || requested[0]?.rank !== requested[0]?.peer) return;
  const alone = [...sends.before, ...sends.behind, ...receives.before, ...receives.behind].filter(
    ({ kind }, i) => (kind === 'send' ? i : i - lengthOf(sends)) >= matched,
  );
  const error = leftOver(alone, 'The group ends, and the rank itself does not call the matching');
  if (error !== undefined) throw error;
}

/** The unmatched sends of a pair, or its unmatched receives. */
interface UnmatchedTransfers {
  readonly before: readonly TransferNote[];
  readonly behind: readonly TransferNote[];
}

function lengthOf({ before, behind }: UnmatchedTransfers): number {
  return before.length + behind.length;
}

function at({ before, behind }: UnmatchedTransfers, i: number): TransferNote | undefined {
  return i < before.length ? before[i] : behind[i - before.length];
}

/** True if the sends complete without a receive. */
function fits(sends: readonly TransferNote[]): boolean {
  return sends.reduce((taken, { slots }) => taken + slots, 0) <= FIFO_SLOTS;
}

/** Describes a send or a receive in words. */
export function transferText({ kind, rank, peer, count, element }: TransferNote): string {
  return `${kind} of ${count} ${element} on rank ${rank} ${kind === 'send' ? 'to' : 'from'} rank ${peer}`;
}

function leftOver(notes: readonly TransferNote[], what: string): NcclError | undefined {
  if (notes.length === 0) return undefined;
  const named = notes.slice(0, NAMED).map(transferText).join('; ');
  const more = notes.length > NAMED ? `; and ${notes.length - NAMED} more` : '';
  return new NcclError('NCCL_INVALID_USAGE', `${what}: ${named}${more}.`);
}
