import { at } from '@nccl-ts/core';
import { fenceOrders, OrderBudget, type Consistent } from './consistency.ts';
import { candidates } from './candidates.ts';
import { eventsBefore } from './events-before.ts';
import { known } from './deferred.ts';
import { ExecutionSpace } from './execution-space.ts';
import type { SpaceOptions } from './space-options.ts';
import type { GraphEvent, ReadSource } from './graph-event.ts';
import { hardwareRacesOf, proxyMixesOf, racesOf, type RacingPair } from './races.ts';
import type { AgentProgram, ByteRange } from './requests.ts';
import type { Run } from './run.ts';
import { staleOnGpus, type StaleRead } from './stale-reads.ts';
import type { RunningAgent } from './running-agent.ts';

/** An execution that the model allows. */
export interface Execution {
  readonly run: Run;
  readonly consistent: Consistent;
  readonly races: readonly RacingPair[];
  /** Ordered accesses through two proxies, without a proxy fence between them. */
  readonly proxyMixes: readonly RacingPair[];
  /** The races between accesses that current GPUs do not order either. */
  readonly hardwareRaces: () => readonly RacingPair[];
  /** A read with which current GPUs do not show this execution; `undefined` if there is none. */
  readonly staleOnGpus: () => StaleRead | undefined;
  /** The agents that are blocked forever. Empty if all have ended. */
  readonly blocked: readonly RunningAgent[];
  /** The results of agents, by number. `undefined` for blocked agents. */
  readonly results: readonly unknown[];
  /** The possible final values of these bytes. There are several if racing writes have no order. */
  readonly finals: (ranges: readonly ByteRange[]) => readonly (readonly bigint[])[];
}

/**
 * Returns the executions of a finished run. They differ in the order of sequential fences. Empty if
 * the axioms forbid the run. If there are more orders than the budget allows, the rest are omitted,
 * and the budget records that.
 */
export function* executionsOf(run: Run, budget: OrderBudget = new OrderBudget()): Generator<Execution> {
  if (run.pending.length > 0) return;
  const blocked = run.agents.filter(({ ended }) => !ended);
  const results = run.agents.map(({ ended, result }) => (ended ? known(result) : undefined));
  for (const consistent of fenceOrders(run.graph, budget)) {
    if (![...consistent.coherence.values()].every(({ possible }) => possible)) continue;
    const finals = (ranges: readonly ByteRange[]): readonly (readonly bigint[])[] => allFinals(run, consistent, ranges);
    if (!stayBlocked(blocked, (range) => finals([range]).map((values) => at(values, 0)))) continue;
    const { causality, order } = consistent;
    const races = racesOf(run.graph, causality);
    const hardwareRaces = (): readonly RacingPair[] =>
      races.length === 0 ? races : hardwareRacesOf(run.graph, causality, order, races);
    const proxyMixes = proxyMixesOf(run.graph, causality);
    const stale = (): StaleRead | undefined => staleOnGpus(run.graph, causality, order);
    yield { run, consistent, races, proxyMixes, hardwareRaces, staleOnGpus: stale, blocked, results, finals };
  }
}

/**
 * True if the run so far is possible, because the model has an order for its sequential fences and
 * writes. The run itself makes only cheap checks, so call this before you report a value read. If
 * there are more orders of fences than were examined, the run counts as possible.
 */
export function isPossible(run: Run): boolean {
  const budget = new OrderBudget();
  for (const { coherence } of fenceOrders(run.graph, budget)) {
    if ([...coherence.values()].every(({ possible }) => possible)) return true;
  }
  return budget.isSpent;
}

/**
 * True if an unbound read precedes one of these events. Such an event must not be reported. If the
 * read turns out to have no source, no execution contains the event.
 */
export function hasOpenBefore(run: Run, events: readonly GraphEvent[]): boolean {
  return run.pending.length > 0 && eventsBefore(run, events).open.length > 0;
}

export interface ExploreOptions extends SpaceOptions {
  /** Called for every execution. Its argument is valid only during the call. */
  readonly onExecution: (execution: Execution) => void;
}

export interface Explored {
  /** The number of executions that the model allows. */
  readonly executions: number;
  /** The number of runs of the program. */
  readonly runs: number;
  /** True if all executions were visited. */
  readonly complete: boolean;
}

/** Visits all executions of agents that start together. */
export function exploreExecutions(programs: readonly AgentProgram[], options: ExploreOptions): Explored {
  const space = new ExecutionSpace(options);
  let executions = 0;
  for (let run = space.begin(); run !== undefined; run = space.begin()) {
    for (const program of programs) run.start(program);
    let state = space.step();
    while (state === 'moved') state = space.step();
    if (state === 'ended') continue;
    const budget = new OrderBudget();
    for (const execution of executionsOf(run, budget)) {
      executions++;
      options.onExecution(execution);
    }
    space.looked(budget);
  }
  return Object.freeze({ executions, runs: space.runs, complete: space.complete });
}

/**
 * True if final contents of memory are possible that satisfy none of the agents' waits. Bytes have
 * the same contents for all of them. An agent that is blocked by anything else is blocked forever.
 */
function stayBlocked(agents: readonly RunningAgent[], values: (range: ByteRange) => readonly bigint[]): boolean {
  const waits = agents.flatMap(({ blocked }) => (blocked?.kind === 'wait' ? [blocked] : []));
  const choices = new Map<string, ValueChoice>();
  const chosen = (range: ByteRange): bigint => {
    const key = `${range.at} ${range.bytes}`;
    const choice = choices.get(key) ?? { values: values(range), at: 0 };
    choices.set(key, choice);
    return at(choice.values, choice.at);
  };
  while (waits.some((wait) => wait.probe(chosen) !== undefined)) if (!advance(choices)) return false;
  return true;
}

/** One of the possible values of some bytes. */
interface ValueChoice {
  readonly values: readonly bigint[];
  at: number;
}

/** Goes on to the next choices: the last changes first. Returns false if there are none. */
function advance(choices: Map<string, ValueChoice>): boolean {
  for (const [key, choice] of [...choices].toReversed()) {
    choice.at++;
    if (choice.at < choice.values.length) return true;
    choices.delete(key);
  }
  return false;
}

function allFinals(run: Run, { coherence }: Consistent, ranges: readonly ByteRange[]): readonly (readonly bigint[])[] {
  let combinations: readonly (readonly bigint[])[] = [[]];
  for (const range of ranges) {
    const cluster = run.graph.clusterOf(range.at, range.bytes);
    const values = new Set<bigint>();
    const decided = coherence.get(cluster);
    if (decided === undefined) {
      values.add(run.initialValue(range.at, range.bytes));
    } else {
      for (const solution of decided.solutions()) {
        for (const completion of candidates(run.graph, range, -1)) {
          if (completion.every((source) => isLast(solution.last(range.at + source.offset, source.bytes), source))) {
            values.add(run.valueOf(range, completion));
          }
        }
      }
    }
    combinations = combinations.flatMap((some) => [...values].map((value) => [...some, value]));
  }
  return combinations;
}

function isLast(last: readonly { readonly id: number }[], { write }: ReadSource): boolean {
  return last.some(({ id }) => id === write.id);
}
