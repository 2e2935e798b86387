import { NcclError } from '@nccl-ts/core';
import type { Collective } from './collective.ts';
import { ranksText } from '../describe.ts';
import { aborted, invalidArgument, invalidUsage, messageOf, remoteError } from '../errors.ts';
import type { HostStates } from '../world/host-states.ts';
import type { AnyMeeting, RequestSummary, Meeting } from './meeting.ts';

/** The states of the ranks of a rendezvous, by rank in it. */
export type RankStates = Pick<HostStates, 'begin' | 'block' | 'move' | 'isOver' | 'describe'>;

/**
 * Matches the collective host calls of the ranks of a process. The n-th collective call of each
 * rank is one call, as in NCCL. If the requests of ranks differ, the error shows each of them.
 */
export class Rendezvous {
  readonly #ranks: readonly number[];
  readonly #states: RankStates;
  /**
   * invariant: a meeting stays here until every rank has arrived, even if it failed, so that late
   * ranks learn of it.
   */
  readonly #open = new Map<number, AnyMeeting>();
  /** The position of each rank's next collective call. */
  readonly #next = new Map<number, number>();
  /** The ranks that make no more calls. */
  readonly #gone = new Map<number, 'closed' | 'aborted'>();

  constructor(ranks: readonly number[], states: RankStates) {
    this.#ranks = ranks;
    this.#states = states;
  }

  /**
   * Waits for all ranks, and then for the collective's work. All ranks get the same result or the
   * same error.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if `requests` differs among the ranks,
   *   `NCCL_INVALID_USAGE` if another rank makes a different call at this position,
   *   `NCCLTS_DEADLOCK` if a rank can never make the call, `NCCL_REMOTE_ERROR` if one has aborted.
   */
  async meet<C, R>(rank: number, collective: Collective<C, R>, requested: RequestSummary, contribution: C): Promise<R> {
    const position = this.#next.get(rank) ?? 0;
    this.#next.set(rank, position + 1);
    this.#states.begin(rank);

    const meeting = this.#arrive(rank, position, collective, requested);
    meeting.bring(rank, contribution);
    if (meeting.failure !== undefined) throw meeting.failure;
    if (meeting.requests.size === this.#ranks.length) {
      await this.#act(meeting, collective);
      return meeting.outcome;
    }

    const leave = this.#states.block(rank, callText(meeting), this);
    meeting.wait(leave);
    const missing = this.#missing(meeting);
    const lost = missing.find((one) => this.#gone.get(one) === 'aborted');
    if (lost !== undefined) meeting.fail(lostRank(meeting, lost));
    if (missing.some((one) => this.#gone.has(one) || this.#states.isOver(one)))
      meeting.fail(this.#standstill(meeting, 'a missing rank can never call it'));
    try {
      return await meeting.outcome;
    } finally {
      leave();
      if (meeting.failure !== undefined) collective.forget(position);
    }
  }

  /** Called when a rank's host program has ended. Calls that wait for it never succeed. */
  leave(rank: number): void {
    for (const meeting of this.#open.values()) {
      if (!meeting.requests.has(rank)) meeting.fail(this.#standstill(meeting, 'a missing rank can never call it'));
    }
  }

  /** Like {@link leave}, but final. */
  close(rank: number): void {
    this.#gone.set(rank, 'closed');
    this.leave(rank);
  }

  /**
   * Called when a rank has aborted its communicator. Its calls end for all ranks, and calls that
   * wait for it never succeed.
   */
  abort(rank: number): void {
    this.#gone.set(rank, 'aborted');
    this.interrupt(rank);
    for (const meeting of this.#open.values()) meeting.fail(lostRank(meeting, rank));
  }

  /** Ends the calls in which a rank waits, for all ranks that wait in them. */
  interrupt(rank: number): void {
    for (const meeting of this.#open.values()) {
      if (!meeting.requests.has(rank)) continue;
      meeting.fail(aborted(`${callText(meeting)} was aborted by rank ${rank}.`, undefined));
    }
  }

  /** Called if no rank can continue. `error` is the backend's explanation, if it has one. */
  stall(error: Error | undefined): void {
    for (const meeting of this.#open.values()) {
      meeting.fail(error ?? this.#standstill(meeting, 'no rank can continue'));
    }
  }

  /** Rejects all waits, because of `cause`. */
  end(cause: unknown): void {
    for (const meeting of this.#open.values()) {
      meeting.fail(aborted(`${callText(meeting)} was aborted: ${messageOf(cause)}`, cause));
    }
  }

  /** Records that the rank has arrived, and if its request matches the earlier ones. */
  #arrive<C, R>(
    rank: number,
    position: number,
    collective: Collective<C, R>,
    requested: RequestSummary,
  ): Meeting<C, R> {
    const meeting = collective.meetingAt(position);
    const first = this.#open.get(position) ?? meeting;
    this.#open.set(position, first);
    if (first.failure === undefined) {
      const problem =
        first === meeting ? disagreement(first, rank, requested) : otherCall(first, rank, collective.name);
      if (problem !== undefined) first.fail(problem);
    }
    if (first.failure !== undefined) meeting.fail(first.failure);
    first.requests.set(rank, requested);
    if (first !== meeting) collective.forget(position);
    if (first.requests.size === this.#ranks.length) {
      this.#open.delete(position);
      collective.forget(position);
    }
    return meeting;
  }

  async #act<C, R>(meeting: Meeting<C, R>, collective: Collective<C, R>): Promise<void> {
    // Every rank is busy with the work, so none of them counts as one that only waits.
    const releases = this.#ranks.map((rank) => this.#states.move(rank));
    meeting.endWaits();
    try {
      meeting.succeed(await collective.act(meeting.contributions()));
    } catch (error) {
      meeting.fail(error instanceof Error ? error : new NcclError('NCCL_INTERNAL_ERROR', messageOf(error)));
    } finally {
      for (const leave of releases) leave();
    }
  }

  #missing(meeting: AnyMeeting): readonly number[] {
    return this.#ranks.filter((rank) => !meeting.requests.has(rank));
  }

  #describe(rank: number): string {
    return this.#gone.get(rank) === 'closed' ? 'has closed its communicator' : this.#states.describe(rank);
  }

  #standstill(meeting: AnyMeeting, why: string): NcclError {
    const missing = this.#missing(meeting).map((rank) => `rank ${rank} ${this.#describe(rank)}`);
    return new NcclError(
      'NCCLTS_DEADLOCK',
      `${callText(meeting)} cannot complete: ${why}. Present: ${ranksText([...meeting.requests.keys()])}. ` +
        `Missing: ${missing.join('; ')}.`,
    );
  }
}

function lostRank(meeting: AnyMeeting, rank: number): NcclError {
  return remoteError(`${callText(meeting)} cannot complete: rank ${rank} has aborted its communicator.`);
}

/** Names a collective call for messages. */
function callText(meeting: AnyMeeting): string {
  return `${meeting.name} (collective call ${meeting.position + 1})`;
}

function otherCall(first: AnyMeeting, rank: number, name: string): NcclError {
  return invalidUsage(
    `Collective call ${first.position + 1}: ${ranksText([...first.requests.keys()])} called ${first.name}, rank ${rank} ` +
      `called ${name}. All ranks must make the same collective calls in the same order.`,
  );
}

/** Returns the values in which `rank`'s request differs from those of the ranks before it. */
function disagreement(meeting: AnyMeeting, rank: number, requested: RequestSummary): NcclError | undefined {
  const [theirs] = meeting.requests.values();
  if (theirs === undefined) return undefined;
  const differing = [...new Set([...Object.keys(theirs), ...Object.keys(requested)])].filter(
    (name) => theirs[name] !== requested[name],
  );
  if (differing.length === 0) return undefined;
  const listed = (of: RequestSummary): string => differing.map((name) => `${name} ${of[name] ?? 'unset'}`).join(', ');
  return invalidArgument(
    `${callText(meeting)}: the ranks disagree. ${ranksText([...meeting.requests.keys()])} requested ${listed(theirs)}; ` +
      `rank ${rank} requested ${listed(requested)}. All ranks must make the same request.`,
  );
}
