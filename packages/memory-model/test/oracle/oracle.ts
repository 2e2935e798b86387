import { agentRuns, usualOptions } from './agent-runs.ts';
import type { AgentRun, RunOptions } from './agent-runs.ts';
import { eventsOf, sameCta, shapeKeyOf, shapeOf } from './candidate.ts';
import type { Candidate, Shape } from './candidate.ts';
import { consistentExecutions } from './consistent.ts';
import type { Execution } from './consistent.ts';
import { overtaken } from './overtaken.ts';
import { Relation } from './relation.ts';
import { possibleValues } from './possible-values.ts';
import { linesOf, locationsOf } from './small-program.ts';
import type { SmallProgram } from './small-program.ts';

/** The permitted behaviour of a program, over all executions that the axioms of PTX allow. */
export type Verdict = Readonly<{
  /**
   * `agent:register=value` of all registers, and `location=value` of the final values, for
   * executions that end. Sorted.
   */
  outcomes: readonly string[];
  /**
   * The pairs of operations that race in some execution, as `agent.position agent.position`, with
   * the lower first. Sorted.
   */
  races: readonly string[];
  /** True if an agent blocks forever in some execution. */
  deadlocks: boolean;
  /** The number of executions, including blocked ones. */
  executions: number;
}>;

/** Decides by brute force. The time is exponential, so use it for about a dozen accesses. */
export function verdictOf(program: SmallProgram, options: Partial<RunOptions> = {}): Verdict {
  const outcomes = new Set<string>();
  const races = new Set<string>();
  const shapes = new Map<string, Shape>();
  let deadlocks = false;
  let executions = 0;
  const locations = locationsOf(program);
  const registers = program.agents.map(({ operations }) => registersOf(operations));

  const values = possibleValues(program, locations);
  const allRuns = program.agents.map((agent) => agentRuns(agent, values, { ...usualOptions, ...options }).map(wished));

  for (const runs of choices(allRuns)) {
    if (!readsHold(runs) || !barriersHold(program, runs)) continue;
    const events = eventsOf(locations, runs);
    const key = shapeKeyOf(runs);
    const shape = shapes.get(key) ?? shapeOf(program, events);
    shapes.set(key, shape);
    const candidate = { events, ...shape };
    for (const rf of readsFrom(candidate)) {
      consistentExecutions(candidate, rf, (execution) => {
        const finals = finalValues(candidate, execution, locations);
        if (!waitsHold(runs, finals)) return;
        executions++;
        for (const race of racesOf(candidate, execution)) races.add(race);
        if (runs.some(({ stuck }) => stuck !== undefined)) {
          deadlocks = true;
          return;
        }
        for (const values of choices([...finals.values()])) {
          const parts = runs.flatMap((run, agent) =>
            (registers[agent] ?? []).map((register) => `${agent}:${register}=${run.registers.get(register) ?? 0}`),
          );
          outcomes.add([...parts, ...locations.map((location, index) => `${location}=${values[index]}`)].join(' '));
        }
      });
    }
  }
  return { outcomes: [...outcomes].sort(), races: [...races].sort(), deadlocks, executions };
}

function registersOf(operations: Parameters<typeof linesOf>[0]): readonly string[] {
  return linesOf(operations).flatMap(({ operation }) =>
    operation.kind === 'load' || operation.kind === 'rmw' ? [operation.register] : [],
  );
}

/** True if each run reads only 0 or values that one of them writes. */
function readsHold(runs: readonly Wished[]): boolean {
  return runs.every(({ reads }) => reads.every((wish) => runs.some(({ writes }) => writes.has(wish))));
}

/** A run, with the values that it reads (except 0) and writes, as texts. */
type Wished = AgentRun & Readonly<{ reads: readonly string[]; writes: ReadonlySet<string> }>;

function wished(run: AgentRun): Wished {
  const texts = (wanted: 'read' | 'write'): readonly string[] =>
    run.events.flatMap(({ kind, location, value }) => (kind === wanted ? [`${location}=${value}`] : []));
  return { ...run, reads: texts('read').filter((text) => !text.endsWith('=0')), writes: new Set(texts('write')) };
}

/**
 * An agent that passed a barrier synchronized with all of its CTA. An agent that is blocked there
 * waits for one that never comes.
 */
function barriersHold(program: SmallProgram, runs: readonly AgentRun[]): boolean {
  const passed = runs.map(({ events }) => events.filter(({ kind }) => kind === 'barrier').length);
  const reached = runs.map(({ stuck }, agent) => (passed[agent] ?? 0) + (stuck === 'barrier' ? 1 : 0));
  return runs.every(({ stuck }, agent) => {
    const others = [...runs.keys()].filter((other) => other !== agent && sameCta(program, agent, other));
    const met = (count: number): boolean => others.every((other) => (reached[other] ?? 0) >= count);
    const own = passed[agent] ?? 0;
    return met(own) && (stuck !== 'barrier' || !met(own + 1));
  });
}

/** Every choice of a write of the same location and value for each read. */
function* readsFrom({ events }: Candidate): Generator<Relation> {
  const sources = events.flatMap((read, to) => {
    if (read.kind !== 'read') return [];
    const writes = events.flatMap((write, from) =>
      write.kind === 'write' && write.location === read.location && write.value === read.value ? [from] : [],
    );
    return [writes.map((from) => [from, to] as const)];
  });
  for (const edges of choices(sources)) {
    const rf = new Relation(events.length);
    for (const [from, to] of edges) rf.add(from, to);
    yield rf;
  }
}

/** The values of each location's writes that no other write follows in coherence. */
function finalValues(
  { events }: Candidate,
  { co }: Execution,
  locations: readonly string[],
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    locations.map((location) => {
      const last = events.filter(
        (write, from) =>
          write.kind === 'write' && write.location === location && !events.some((_, to) => co.has(from, to)),
      );
      return [location, [...new Set(last.map(({ value }) => value))]];
    }),
  );
}

/** A wait blocks forever only if its location may keep another value than it waits for. */
function waitsHold(runs: readonly AgentRun[], finals: ReadonlyMap<string, readonly number[]>): boolean {
  return runs.every(({ stuck }) => {
    if (stuck === undefined || stuck === 'barrier') return true;
    return finals.get(stuck.location)?.some((value) => value !== stuck.equals) === true;
  });
}

/**
 * Accesses of two agents to one location, one of them a write, that are not morally strong. Neither
 * precedes the other in causality or overtakes it.
 */
function racesOf(candidate: Candidate, { cause }: Execution): readonly string[] {
  const { events, ms } = candidate;
  const ordered = overtaken(candidate, cause).then(cause).union(cause);
  return events.flatMap((first, from) =>
    events.flatMap((second, to) => {
      if (first.agent === undefined || second.agent === undefined || first.agent >= second.agent) return [];
      if (first.location === '' || first.location !== second.location) return [];
      if (first.kind !== 'write' && second.kind !== 'write') return [];
      if (ms.has(from, to) || ordered.has(from, to) || ordered.has(to, from)) return [];
      return [`${first.agent}.${first.position} ${second.agent}.${second.position}`];
    }),
  );
}

/** Lists every way to choose one item of each list. */
function* choices<T>(lists: readonly (readonly T[])[]): Generator<readonly T[]> {
  const [first, ...rest] = lists;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const tail of choices(rest)) for (const item of first) yield [item, ...tail];
}
