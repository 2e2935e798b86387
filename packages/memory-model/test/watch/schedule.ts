import type { MemoryOrder } from '@nccl-ts/core';

import {
  Clock,
  HappensBefore,
  scopeWidth,
  type AccessKind,
  type GroupClocks,
  type Seen,
  type WatchedSite,
} from '../../src/index.ts';
import type { RunEvent } from '../oracle/agent-runs.ts';
import { linesOf, locationsOf } from '../oracle/small-program.ts';
import { clusterNumber } from '../oracle/small-program.ts';
import type { Line, Operation, Ordering, Place, SmallProgram, Value } from '../oracle/small-program.ts';

/**
 * A step of an agent in a schedule: an event and, for a read, the write that it read from.
 */
export type ScheduledEvent = RunEvent & Readonly<{ agent: number; source: ScheduledEvent | undefined }>;

/**
 * A run of a program in which agents make their steps one at a time, and every read sees the last
 * write.
 */
export type Schedule = Readonly<{
  /** The pairs of operations that the engine reports as races, in the oracle's form. */
  reported: ReadonlySet<string>;
  /** The steps, in order. */
  events: readonly ScheduledEvent[];
  /** True if all agents ended. */
  ended: boolean;
}>;

/** Selects the agent that makes the next step. */
export type Choose = (able: readonly number[]) => number;

export type ScheduleOptions = Readonly<{
  /** Bytes of each location, and of each access. */
  bytes: 4 | 8;
  /** True if a CTA has a thread that does nothing, not even at barriers. */
  idle: boolean;
}>;

/** Runs `program` in the order that `choose` selects, and reports each step to the engine. */
export function runSchedule(program: SmallProgram, choose: Choose, options: ScheduleOptions): Schedule {
  const watched = new WatchedProgram(program, options);
  for (;;) {
    const able = watched.able();
    if (able.length === 0) break;
    watched.step(choose(able));
  }
  return { reported: watched.reported, events: watched.events, ended: watched.ended };
}

/** An operation, the number of its source location, and its statement. */
type Step = Readonly<{ line: Line; site: number; body: readonly Step[] }>;

interface RunningAgent {
  readonly number: number;
  readonly group: GroupClocks;
  readonly thread: number;
  /** The agents of its CTA. */
  readonly mates: readonly number[];
  readonly steps: Step[];
  readonly registers: Map<string, number>;
}

class WatchedProgram {
  readonly reported = new Set<string>();
  readonly events: ScheduledEvent[] = [];
  readonly #engine: HappensBefore;
  readonly #agents: readonly RunningAgent[];
  readonly #addresses: ReadonlyMap<string, number>;
  readonly #last = new Map<string, ScheduledEvent>();
  /** The operation for each location's number. */
  readonly #names: string[];

  constructor(program: SmallProgram, { bytes, idle }: ScheduleOptions) {
    this.#engine = new HappensBefore({ onSeen: (seen) => this.#see(seen) });
    this.#addresses = new Map(locationsOf(program).map((location, index) => [location, 16 * index]));
    this.#engine.given(0, 16 * this.#addresses.size);

    // Location 0 is that of the initial contents.
    const sites: WatchedSite[] = [{ kind: 'store', bytes: 4 }];
    this.#names = ['start'];
    const steps = program.agents.map(({ operations }, agent) => {
      const base = sites.length;
      for (const { operation, position } of linesOf(operations)) {
        sites.push(siteOf(operation, bytes));
        this.#names.push(`${agent}.${position}`);
      }
      return stepsOf(operations, base);
    });
    this.#engine.addSites(sites);

    const ctas = program.agents.map(({ place }) => `${place.rank}.${place.cta}`);
    const groups = new Map<string, GroupClocks>();
    this.#agents = program.agents.map(({ place }, number) => {
      const key = ctas[number] ?? '';
      const mates = [...ctas.keys()].filter((mate) => ctas[mate] === key);
      const known = groups.get(key);
      const threads = mates.length + (idle ? 1 : 0);
      const group = known ?? this.#open(place, threads, sites.length);
      groups.set(key, group);
      return {
        number,
        group,
        thread: mates.indexOf(number),
        mates,
        steps: [...(steps[number] ?? [])],
        registers: new Map<string, number>(),
      };
    });
  }

  get ended(): boolean {
    return this.#agents.every(({ steps }) => steps.length === 0);
  }

  /** The agents that can make a step. */
  able(): readonly number[] {
    return this.#agents.flatMap((agent) => (this.#isAble(agent) ? [agent.number] : []));
  }

  step(number: number): void {
    const agent = this.#agents[number];
    const step = agent?.steps.shift();
    if (agent === undefined || step === undefined) throw new RangeError(`agent ${number} is at its end`);
    const { operation } = step.line;
    const { group, thread, registers } = agent;
    if ('location' in operation) this.#sequence(agent, step, operation.ordering);
    switch (operation.kind) {
      case 'load':
        this.#engine.load(group, thread, this.#engine.shadow, this.#addressOf(operation.location), step.site);
        registers.set(operation.register, this.#read(agent, step, operation));
        return;
      case 'wait':
        this.#engine.load(group, thread, this.#engine.shadow, this.#addressOf(operation.location), step.site);
        this.#read(agent, step, operation);
        return;
      case 'store':
        this.#engine.store(group, thread, this.#engine.shadow, this.#addressOf(operation.location), step.site);
        this.#write(agent, step, operation, valueOf(operation.value, registers), undefined);
        return;
      case 'rmw': {
        const { update, location } = operation;
        const operand = valueOf(operation.value, registers);
        const readIndex = this.#countOf(number);
        const held = this.#read(agent, step, operation);
        registers.set(operation.register, held);
        const address = this.#addressOf(location);
        if (update === 'cas' && held !== operation.compare) {
          this.#engine.load(group, thread, this.#engine.shadow, address, step.site);
          return;
        }
        this.#engine.update(group, thread, this.#engine.shadow, address, step.site);
        this.#write(agent, step, operation, update === 'add' ? held + operand : operand, readIndex);
        return;
      }
      case 'fence': {
        const { order, scope } = operation.ordering;
        this.#engine.fence(group, thread, order, scopeWidth(scope));
        this.#add(agent, step, { kind: 'fence', scope, ...patternOf(order), sequential: order === 'seq_cst' });
        return;
      }
      case 'barrier':
        this.#meet(agent, step);
        return;
      case 'if':
        if (registers.get(operation.register) === operation.equals) agent.steps.unshift(...step.body);
        return;
    }
  }

  #open(place: Place, threads: number, sites: number): GroupClocks {
    const agent = this.#engine.addAgent({ kind: 'cta', rank: place.rank });
    return this.#engine.open(agent, threads, new Clock(0), 0, sites, clusterNumber(place));
  }

  #isAble({ steps, mates }: RunningAgent): boolean {
    const operation = steps[0]?.line.operation;
    if (operation === undefined) return false;
    if (operation.kind === 'wait') return (this.#last.get(operation.location)?.value ?? 0) === operation.equals;
    if (operation.kind !== 'barrier') return true;
    return mates.every((mate) => this.#agents[mate]?.steps[0]?.line.operation.kind === 'barrier');
  }

  /** The chosen agent makes the step for all agents at the barrier. */
  #meet(first: RunningAgent, step: Step): void {
    this.#add(first, step, { kind: 'barrier' });
    const threads = [first.thread];
    for (const number of first.mates) {
      const mate = this.#agents[number];
      if (mate === undefined || mate === first) continue;
      const own = mate.steps.shift();
      if (own === undefined) throw new RangeError(`agent ${number} is not at the barrier`);
      this.#add(mate, own, { kind: 'barrier' });
      threads.push(mate.thread);
    }
    first.group.meet(threads);
  }

  /** A seq_cst access has a fence before it, which the engine adds itself. */
  #sequence(agent: RunningAgent, step: Step, ordering: Ordering): void {
    if (ordering === 'weak' || ordering.order !== 'seq_cst') return;
    this.#add(agent, step, { kind: 'fence', scope: ordering.scope, ...patternOf('seq_cst'), sequential: true });
  }

  #read(agent: RunningAgent, step: Step, { location, ordering }: { location: string; ordering: Ordering }): number {
    const source = this.#last.get(location);
    const acquires = ordering !== 'weak' && patternOf(ordering.order).acquires;
    const scope = ordering === 'weak' ? undefined : ordering.scope;
    const value = source?.value ?? 0;
    this.#add(agent, step, { kind: 'read', location, value, scope, acquires, source });
    return value;
  }

  #write(
    agent: RunningAgent,
    step: Step,
    { location, ordering }: { location: string; ordering: Ordering },
    value: number,
    rmwRead: number | undefined,
  ): void {
    const releases = ordering !== 'weak' && patternOf(ordering.order).releases;
    const scope = ordering === 'weak' ? undefined : ordering.scope;
    this.#last.set(location, this.#add(agent, step, { kind: 'write', location, value, scope, releases, rmwRead }));
  }

  #add({ number }: RunningAgent, { line }: Step, event: Partial<ScheduledEvent>): ScheduledEvent {
    const added = { ...nothing, ...event, position: line.position, agent: number };
    this.events.push(added);
    return added;
  }

  #countOf(agent: number): number {
    return this.events.filter((event) => event.agent === agent).length;
  }

  #addressOf(location: string): number {
    return this.#addresses.get(location) ?? 0;
  }

  #see(seen: Seen): void {
    if (seen.kind !== 'race') throw new Error(`the engine has seen: ${seen.kind}`);
    const names = [seen.before, seen.now].map(({ site }) => this.#names[site] ?? '?');
    this.reported.add(names.sort().join(' '));
  }
}

const nothing: Omit<ScheduledEvent, 'agent' | 'position'> = {
  kind: 'barrier',
  location: '',
  value: 0,
  scope: undefined,
  releases: false,
  acquires: false,
  sequential: false,
  depends: [],
  rmwRead: undefined,
  source: undefined,
};

function patternOf(order: MemoryOrder): Readonly<{ releases: boolean; acquires: boolean }> {
  return {
    releases: order === 'release' || order === 'acq_rel' || order === 'seq_cst',
    acquires: order === 'acquire' || order === 'acq_rel' || order === 'seq_cst',
  };
}

function valueOf({ register, constant }: Value, registers: ReadonlyMap<string, number>): number {
  return constant + (register === undefined ? 0 : (registers.get(register) ?? 0));
}

/** Numbers the source locations from `first` on, in the order of the text. */
function stepsOf(operations: readonly Operation[], first: number): readonly Step[] {
  const lines = linesOf(operations);
  let next = 0;
  const take = (list: readonly Operation[]): readonly Step[] =>
    list.map((operation) => {
      const position = next++;
      const line = lines[position];
      if (line === undefined) throw new RangeError(`no line ${position}`);
      return { line, site: first + position, body: operation.kind === 'if' ? take(operation.body) : [] };
    });
  return take(operations);
}

const kinds: Readonly<Record<Operation['kind'], AccessKind>> = {
  load: 'load',
  wait: 'load',
  store: 'store',
  rmw: 'atomic',
  fence: 'load',
  barrier: 'load',
  if: 'load',
};

function siteOf(operation: Operation, bytes: number): WatchedSite {
  const kind = kinds[operation.kind];
  if (!('location' in operation) || operation.ordering === 'weak') return { kind, bytes };
  return { kind, bytes, access: operation.ordering };
}
