import { accepted, attempts, mayLast, nameOf, rangesOf, type WaitAttempt } from './attempts.ts';
import { candidates, found, newestOver, numbered } from './candidates.ts';
import { Causality, synchronises, type EventFilter } from './causality.ts';
import { consistent, locallyConsistent, stillConsistent, type Consistent, type OrderBudget } from './consistency.ts';
import { hasPassedBefore, isOrderedByObservation, isSettled, withoutLater } from './earliest.ts';
import { before, type GraphEvent, type ReadSource } from './graph-event.ts';
import { chainBefore, ownLastWrite } from './own-last-write.ts';
import { meetingNode, type DecisionNode } from './decision-node.ts';
import type { AttemptedRead } from './attempted-read.ts';
import { EventLimit, SpaceLimit } from './event-limit.ts';
import { Run } from './run.ts';
import type { SpaceOptions } from './space-options.ts';
import type { PendingRead, RunningAgent } from './running-agent.ts';

/** The number of reports of work between two reads of the clock. */
const LOOKS = 64;

function workBound(work: number): string {
  return `${work} entries of clocks and orders`;
}

/**
 * Explores all executions of a program depth first. Each run starts the program again. A read takes
 * its bytes either from existing writes or, if postponed, from later ones, so no execution is
 * visited twice.
 */
export class ExecutionSpace {
  readonly #options: Required<SpaceOptions>;
  readonly #nodes: DecisionNode[] = [];
  /** The number of nodes that this run has applied. */
  #depth = 0;
  /** The number of events of the run at the last consistency check. */
  #checked = 0;
  #run: Run | undefined;
  #known:
    | { readonly run: Run; readonly events: number; readonly synchronised: number; readonly causality: Causality }
    | undefined;
  #waits: 'all' | 'earliest';
  #runs = 0;
  /** The events of the previous runs. */
  #before = 0;
  /** The clock entries computed for the previous runs. */
  #workBefore = 0;
  /** The number of calls of `#expectLeft`. */
  #spent = 0;
  #deadline: number | undefined;
  #restarts = false;
  /** The limit that ended exploring, in words. */
  #bound: string | undefined;
  /** True if no further run may begin. */
  #isOver = false;

  constructor(options: SpaceOptions) {
    this.#options = {
      initialValue: () => 0n,
      events: 100_000,
      accesses: Infinity,
      work: Infinity,
      milliseconds: Infinity,
      now: Date.now,
      postpone: 'needed',
      waits: 'earliest',
      ...options,
    };
    this.#waits = this.#options.waits;
  }

  /** The number of runs begun. */
  get runs(): number {
    return this.#runs;
  }

  /** True if no limit has been reached. */
  get complete(): boolean {
    return this.#bound === undefined;
  }

  /** The first limit that was reached, with its unit. `undefined` if none was. */
  get bound(): string | undefined {
    return this.#bound;
  }

  /** Forgets all visited executions, because the program now behaves differently. */
  restart(): void {
    this.#restarts = true;
  }

  /**
   * Ends the run and begins the next one. Returns `undefined` if there is none within the limits.
   */
  begin(): Run | undefined {
    this.#count();
    if (this.#runs > 0 && !this.#startsOver() && !this.#next()) return undefined;
    if (this.#isOver || this.#isPastDeadline()) return undefined;
    const { runs, accesses, work, milliseconds, now } = this.#options;
    if (this.#runs >= runs) return this.#ends(`${runs} runs`);
    if (this.#before >= accesses) return this.#ends(`${accesses} accesses`);
    if (this.#workBefore > work) return this.#ends(workBound(work));
    this.#deadline ??= now() + milliseconds;
    this.#runs++;
    this.#depth = 0;
    this.#checked = 0;
    const run = new Run(this.#options.initialValue, {
      onWrite: (write) => this.#onWrite(write),
      onSpent: () => this.#expectLeft(run),
    });
    this.#run = run;
    return run;
  }

  /**
   * Continues the run up to the next decision. `still` means that no agent can continue, unless the
   * caller adds events. `ended` means that no execution begins like this run.
   */
  step(): 'moved' | 'still' | 'ended' {
    const run = this.#run;
    if (run === undefined) return 'ended';
    if (this.#isPastDeadline() || this.#isTooMuchWork(run)) return this.#cut();
    const { events, accesses } = this.#options;
    try {
      const moved = run.advance(Math.min(events, accesses - this.#before));
      const known = this.#nodes[this.#depth];
      if (known !== undefined) {
        if (run.graph.events.length < known.events) return moved ? 'moved' : 'still';
        this.#apply(run, known);
        return 'moved';
      }
      if (moved && this.#depth > 0 && !this.#isStillConsistent(run)) {
        for (const node of this.#nodes) node.postpone = true;
        return this.#cut();
      }
      const node = this.#pick(run);
      if (node === undefined) return moved ? 'moved' : 'still';
      this.#nodes.push(node);
      this.#apply(run, node);
      return 'moved';
    } catch (error) {
      if (error instanceof SpaceLimit) return this.#cut();
      if (!(error instanceof EventLimit)) throw error;
      if (run.graph.events.length > events) this.#bound ??= `${events} events of one run`;
      else this.#ends(`${accesses} accesses`);
      return this.#cut();
    }
  }

  /** Ends the run early. */
  #cut(): 'ended' {
    this.#count();
    this.#run = undefined;
    return 'ended';
  }

  /** Adds the events of the finished run to the totals. */
  #count(): void {
    if (this.#run === undefined) return;
    this.#before += this.#run.graph.events.length;
    this.#workBefore += this.#run.graph.work;
  }

  /**
   * Records that orders of sequential fences were examined. Each counts as an access. If the budget
   * is spent, the space is incomplete.
   */
  looked({ used, isSpent }: OrderBudget): void {
    this.#before += used;
    if (isSpent) this.#ends(`${used} orders of sequential fences`);
  }

  /** Records that a limit for all runs together is reached. */
  #ends(bound: string): undefined {
    this.#bound ??= bound;
    this.#isOver = true;
  }

  #isPastDeadline(): boolean {
    const { milliseconds, now } = this.#options;
    if (this.#deadline === undefined || milliseconds === Infinity || now() < this.#deadline) return false;
    this.#ends(`${milliseconds} milliseconds`);
    return true;
  }

  /** @throws SpaceLimit if a limit for all runs together is reached. */
  #expectLeft(run: Run): void {
    if (this.#isTooMuchWork(run) || (++this.#spent % LOOKS === 0 && this.#isPastDeadline())) throw new SpaceLimit();
  }

  #isTooMuchWork(run: Run): boolean {
    const { work } = this.#options;
    if (this.#workBefore + run.graph.work <= work) return false;
    this.#ends(workBound(work));
    return true;
  }

  /** Starts again if the finished run shows that waits must be tried with every write. */
  #startsOver(): boolean {
    if (this.#restarts) {
      this.#restarts = false;
      this.#nodes.length = 0;
      return true;
    }
    const run = this.#run;
    if (run === undefined || this.#waits === 'all') return false;
    let known: Consistent | undefined;
    const causality = (): Causality | undefined => (known ??= consistent(run.graph))?.causality;
    const passed = this.#nodes.slice(0, this.#depth).flatMap((node) => node.passed ?? []);
    if (!passed.some((one) => isOrderedByObservation(run.graph, one, causality))) return false;
    this.#waits = 'all';
    this.#nodes.length = 0;
    return true;
  }

  /** True if no axiom forbids the graph with the events added since the last check. */
  #isStillConsistent(run: Run): boolean {
    const since = this.#checked;
    this.#checked = run.graph.events.length;
    // The sources of unbound reads may order earlier events, and decide that writes happen.
    return run.looseReads > 0 ? consistent(run.graph) !== undefined : stillConsistent(run.graph, since);
  }

  /** Returns to the last decision that has another option. */
  #next(): boolean {
    // A node that this run has not reached is not one of its decisions.
    this.#nodes.length = Math.min(this.#nodes.length, this.#depth);
    for (let last = this.#nodes.at(-1); last !== undefined; last = this.#nodes.at(-1)) {
      last.at++;
      if (last.at < last.options.length) return true;
      if (last.at === last.options.length && last.postpone && !last.isMeeting) return true;
      this.#nodes.pop();
    }
    return false;
  }

  #apply(run: Run, node: DecisionNode): void {
    this.#depth++;
    node.passed = undefined;
    const option = node.options[node.at];
    if (option?.kind === 'meeting') {
      const { lateMeeting } = run;
      if (lateMeeting === undefined) throw notTheSame();
      node.decision = run.meetBy(lateMeeting, option.completion);
      return;
    }
    const read = run.pending.find(({ token }) => token.decision === node.decision);
    const agent = run.agents.find(({ decision }) => decision === node.decision);
    if (read === undefined && agent === undefined) throw notTheSame();
    if (option === undefined) {
      if (read !== undefined) read.postponed = run.clock;
      if (agent !== undefined) agent.postponed = run.clock;
    } else if (option.kind === 'read' && read !== undefined) {
      this.#bind(run, read, found(run.graph, option.sources));
    } else if (option.kind === 'wait' && agent !== undefined) {
      const { reads } = option;
      const { blocked } = agent;
      if (blocked?.kind !== 'wait') throw notTheSame();
      // The attempt is repeated, so that the agent gets the value of this run, and locations have
      // this run's numbers.
      const attempted: AttemptedRead[] = [];
      const given = blocked.attempt((range, access, site) => {
        const sources = found(run.graph, reads[attempted.length]?.sources ?? []);
        attempted.push({ range, access, site, sources });
        return run.valueOf(range, sources);
      });
      const events = run.pass(agent, attempted);
      const values = attempted.map((each) => run.valueOf(each.range, each.sources));
      node.passed = node.isEarliest
        ? { wait: blocked, reads: attempted, events, values, value: given?.value }
        : undefined;
    } else {
      throw notTheSame();
    }
  }

  #bind(run: Run, read: PendingRead, sources: readonly ReadSource[]): void {
    run.bind(read, sources);
    const known = this.#known;
    const { event } = read;
    if (known?.run === run && known.events === run.graph.events.length && known.synchronised === run.synchronised) {
      known.causality.observe(event);
    }
  }

  /** Handles a new write. Reads that were bound without it could have been postponed for it. */
  #onWrite(write: GraphEvent): void {
    for (let index = 0; index < this.#depth - 1; index++) this.#note(this.#nodes[index], write);
    this.#note(this.#nodes[this.#depth - 1], write);
  }

  #note(node: DecisionNode | undefined, write: GraphEvent): void {
    if (node === undefined || node.postpone || ((write.needs >> BigInt(node.decision)) & 1n) === 1n) return;
    if (node.passed !== undefined && this.#run !== undefined && hasPassedBefore(this.#run.graph, node.passed, write))
      return;
    if (node.ranges.some(({ at, bytes }) => write.at < at + bytes && at < write.at + write.bytes)) node.postpone = true;
  }

  /** The next decision, with at least one option. */
  #pick(run: Run): DecisionNode | undefined {
    const { forced, pending } = run;
    for (const read of pending) {
      if (!forced.has(read.token)) continue;
      const node = this.#readNode(run, read);
      if (node !== undefined) return node;
    }
    for (const agent of run.waiting) {
      const node = this.#waitNode(run, agent);
      if (node !== undefined) return node;
    }
    const late = run.lateMeeting;
    if (late !== undefined) return meetingNode(run, late);
    for (const read of pending) {
      if (forced.has(read.token)) continue;
      const node = this.#readNode(run, read);
      if (node !== undefined) return node;
    }
    return undefined;
  }

  #readNode(run: Run, read: PendingRead): DecisionNode | undefined {
    const { event, token } = read;
    if (read.refused >= newestOver(run.graph, event)) return undefined;
    const causality = this.#causalityOf(run);
    const own = ownLastWrite(run, read);
    const older = chainBefore(own);
    const isHidden = ({ write }: ReadSource): boolean =>
      own !== undefined &&
      (write.kind === 'initial' ||
        before(write, own) ||
        // This depends on the sources of other reads, so it counts once all of them are postponed
        // anyway.
        (older.has(write) && this.#othersThan(read.needs | bit(token.decision) | write.needs).length === 0));
    const assignments = candidates(run.graph, event, read.postponed).filter((sources) => {
      if (sources.some(isHidden)) return false;
      event.sources = sources;
      const fits = this.#fits(run, read, sources, causality);
      event.sources = undefined;
      return fits;
    });
    if (assignments.length === 0) {
      read.refused = run.clock;
      return undefined;
    }
    return {
      decision: token.decision,
      events: run.graph.events.length,
      ranges: [{ at: event.at, bytes: event.bytes }],
      options: assignments.map((sources) => ({ kind: 'read', sources: numbered(sources) })),
      at: 0,
      postpone: this.#options.postpone === 'always',
      isEarliest: false,
      passed: undefined,
    };
  }

  #waitNode(run: Run, agent: RunningAgent): DecisionNode | undefined {
    if (agent.refused === run.clock) return undefined;
    const { blocked } = agent;
    if (blocked?.kind !== 'wait') return undefined;
    const needs = agent.control | bit(agent.decision);
    const since = run.graph.events.length;
    const accepts = (sources: readonly ReadSource[]): boolean => {
      this.#expectLeft(run);
      return (
        stillConsistent(run.graph, since) ||
        this.#blame(run, needs, sources, (counts) => stillConsistent(run.graph, since, counts))
      );
    };
    const made = attempts(run, agent, accepts);
    const passing = made.flatMap((one) => {
      const name = nameOf(one);
      if (!one.passes || agent.forbidden.has(name)) return [];
      const assignments = accepted(run, agent, one, accepts);
      if (assignments === undefined) agent.forbidden.add(name);
      return assignments ?? [];
    });
    const isEarliest = this.#waits === 'earliest' && isSettled(run);
    const fresh = passing.filter(({ reads }) =>
      reads.some(({ sources }) => sources.some(({ write }) => write.since > agent.postponed)),
    );
    const options = isEarliest ? withoutLater(run, fresh, passing, blocked.same) : fresh;
    if (options.length === 0) {
      agent.refused = run.clock;
      return undefined;
    }
    const mayStay = (attempt: WaitAttempt): boolean =>
      !attempt.passes &&
      mayLast(run, attempt, this.#causalityOf(run)) &&
      accepted(run, agent, attempt, accepts) !== undefined;
    return {
      decision: agent.decision,
      events: run.graph.events.length,
      ranges: made.flatMap(rangesOf),
      options: options.map(({ reads }) => ({
        kind: 'wait',
        reads: reads.map(({ sources }) => ({ sources: numbered(sources) })),
      })),
      at: 0,
      postpone: this.#options.postpone === 'always' || made.some(mayStay),
      isEarliest,
      passed: undefined,
    };
  }

  /** True if the graph is consistent when a read is bound tentatively. */
  #fits(run: Run, { event, needs, token }: PendingRead, sources: readonly ReadSource[], causality: Causality): boolean {
    const all = needs | bit(token.decision);
    this.#expectLeft(run);
    if (synchronises(event, sources)) return consistent(run.graph) !== undefined || this.#blame(run, all, sources);
    const forget = causality.observe(event);
    const fits =
      locallyConsistent(run.graph, event, causality) ||
      (run.looseReads > 0
        ? this.#blame(run, all, sources)
        : // The events that then count keep their current order, because everything that orders them counts too.
          this.#blame(run, all, sources, (counts) => locallyConsistent(run.graph, event, causality, counts)));
    forget();
    return fits;
  }

  /** The current causality order of the run, without tentative events. */
  #causalityOf(run: Run): Causality {
    const { events } = run.graph;
    const known = this.#known;
    if (known?.run === run && known.events === events.length && known.synchronised === run.synchronised)
      return known.causality;
    const causality = new Causality(run.graph);
    this.#known = { run, events: events.length, synchronised: run.synchronised, causality };
    return causality;
  }

  /** The decisions outside `needs` that are not postponed yet. */
  #othersThan(needs: bigint): readonly DecisionNode[] {
    return this.#nodes.filter(
      ({ postpone, decision, isMeeting }) =>
        !postpone && isMeeting !== true && ((needs >> BigInt(decision)) & 1n) === 0n,
    );
  }

  /**
   * Handles a graph that became inconsistent because of a read that was just bound. Other reads,
   * which this read and its writes do not need, may cause that. If the graph is consistent without
   * their sources, they may have to be postponed. Returns false, because the read does not fit.
   */
  #blame(
    run: Run,
    needs: bigint,
    sources: readonly ReadSource[],
    isConsistent: (counts: EventFilter) => boolean = (counts) => consistent(run.graph, counts) !== undefined,
  ): false {
    let all = needs;
    for (const { write } of sources) all |= write.needs;
    const others = this.#othersThan(all);
    if (others.length === 0) return false;
    const counts = ({ exists, decision }: GraphEvent): boolean =>
      (exists & ~all) === 0n && (decision < 0 || ((all >> BigInt(decision)) & 1n) === 1n);
    if (isConsistent(counts)) for (const node of others) node.postpone = true;
    return false;
  }
}

function notTheSame(): RangeError {
  return new RangeError('A program behaved differently in a second run: it is not deterministic.');
}

function bit(decision: number): bigint {
  return 1n << BigInt(decision);
}
