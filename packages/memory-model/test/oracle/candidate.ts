import type { AccessScope } from '@nccl-ts/core';

import type { AgentRun, RunEvent } from './agent-runs.ts';
import { Relation, relationOf } from './relation.ts';
import type { Place, SmallProgram } from './small-program.ts';

/** An event of a candidate. An initial value is a weak write without an agent. */
export type CandidateEvent = RunEvent & Readonly<{ agent: number | undefined }>;

/** One run of every agent, and the relations between their events that do not depend on reads. */
export type Candidate = Readonly<{ events: readonly CandidateEvent[] }> & Shape;

/**
 * The relations between the events of runs. They are the same for runs that differ only in values.
 */
export type Shape = Readonly<{
  /** Program order, and that of accesses to one location. */
  po: Relation;
  poLoc: Relation;
  /** Pairs of writes to one location, and those among them that begin with the initial value. */
  writes: Relation;
  initially: Relation;
  /** Morally strong pairs. */
  ms: Relation;
  /** From the read of a read-modify-write to its write. */
  rmw: Relation;
  dep: Relation;
  /** From each event of a barrier to those with which it synchronizes. */
  meets: Relation;
  /**
   * From the first operation of a release pattern to its write, and from an acquire pattern's read
   * to its last operation.
   */
  releasing: Relation;
  acquiring: Relation;
}>;

/** Initial values of `locations`, then the events of the runs, agent by agent. */
export function eventsOf(locations: readonly string[], runs: readonly AgentRun[]): readonly CandidateEvent[] {
  const initials = locations.map((location) => ({ ...initial, location }));
  return [...initials, ...runs.flatMap((run, agent) => run.events.map((event) => ({ ...event, agent })))];
}

/** A key that is equal for lists of runs of the same shape. */
export function shapeKeyOf(runs: readonly AgentRun[]): string {
  return runs.map(({ events }) => events.map(({ kind, position }) => `${kind}${position}`).join(' ')).join('|');
}

export function shapeOf(program: SmallProgram, events: readonly CandidateEvent[]): Shape {
  const size = events.length;
  const related = (holds: (from: CandidateEvent, to: CandidateEvent) => boolean): Relation =>
    relationOf(size, (from, to) => {
      const { [from]: first, [to]: second } = events;
      return first !== undefined && second !== undefined && from !== to && holds(first, second);
    });

  const sameAgent = related((from, to) => from.agent !== undefined && from.agent === to.agent);
  const po = sameAgent.intersection(relationOf(size, (from, to) => from < to));
  const oneLocation = related((from, to) => from.location !== '' && from.location === to.location);
  const poLoc = po.intersection(oneLocation);

  const writes = oneLocation.intersection(related((from, to) => from.kind === 'write' && to.kind === 'write'));

  const bothStrong = related((from, to) => includes(program, from, to) && includes(program, to, from));
  const overlapping = related(
    (from, to) => from.location === '' || to.location === '' || from.location === to.location,
  );
  const ms = sameAgent.union(bothStrong).intersection(overlapping);

  const rmw = new Relation(size);
  const dep = new Relation(size);
  for (const [index, { agent, depends, rmwRead }] of events.entries()) {
    const start = events.findIndex((event) => event.agent === agent);
    for (const read of depends) dep.add(start + read, index);
    if (rmwRead !== undefined) rmw.add(start + rmwRead, index);
  }

  const self = (holds: (event: CandidateEvent) => boolean): Relation =>
    relationOf(size, (from, to) => {
      const { [from]: event } = events;
      return from === to && event !== undefined && holds(event);
    });
  const strongWrite = self(({ kind, scope }) => kind === 'write' && scope !== undefined);
  const strongRead = self(({ kind, scope }) => kind === 'read' && scope !== undefined);
  const releaseWrite = self(({ kind, releases }) => kind === 'write' && releases);
  const acquireRead = self(({ kind, acquires }) => kind === 'read' && acquires);
  const releaseFence = self(({ kind, releases }) => kind === 'fence' && releases);
  const acquireFence = self(({ kind, acquires }) => kind === 'fence' && acquires);

  return {
    po,
    poLoc,
    writes,
    initially: writes.intersection(related(({ agent }) => agent === undefined)),
    ms,
    rmw,
    dep,
    meets: meetsOf(program, events),
    releasing: releaseWrite
      .union(releaseWrite.then(poLoc).then(strongWrite))
      .union(releaseFence.then(po).then(strongWrite)),
    acquiring: acquireRead
      .union(strongRead.then(poLoc).then(acquireRead))
      .union(strongRead.then(po).then(acquireFence)),
  };
}

const initial: CandidateEvent = {
  agent: undefined,
  kind: 'write',
  position: -1,
  location: '',
  value: 0,
  scope: undefined,
  releases: false,
  acquires: false,
  sequential: false,
  depends: [],
  rmwRead: undefined,
};

const within: Readonly<Record<AccessScope, (a: Place, b: Place) => boolean>> = {
  thread: (a, b) => within.block(a, b) && a.thread === b.thread,
  block: (a, b) => a.rank === b.rank && a.cta === b.cta,
  cluster: (a, b) => within.block(a, b) || (a.rank === b.rank && a.cluster !== undefined && a.cluster === b.cluster),
  device: (a, b) => a.rank === b.rank,
  system: () => true,
};

/** True if `event` is strong and its scope includes the thread of `other`. */
function includes(program: SmallProgram, event: CandidateEvent, other: CandidateEvent): boolean {
  const from = event.agent === undefined ? undefined : program.agents[event.agent]?.place;
  const to = other.agent === undefined ? undefined : program.agents[other.agent]?.place;
  return event.scope !== undefined && from !== undefined && to !== undefined && within[event.scope](from, to);
}

/** True if two agents are in one CTA. */
export function sameCta(program: SmallProgram, a: number, b: number): boolean {
  const { [a]: first, [b]: second } = program.agents;
  return first !== undefined && second !== undefined && within.block(first.place, second.place);
}

/**
 * Each agent's first barrier synchronizes with the first ones of its CTA, the second with the
 * second ones.
 */
function meetsOf(program: SmallProgram, events: readonly CandidateEvent[]): Relation {
  const counts = new Map<number, number>();
  const instances = events.map(({ kind, agent }) => {
    if (kind !== 'barrier' || agent === undefined) return undefined;
    const count = counts.get(agent) ?? 0;
    counts.set(agent, count + 1);
    return { agent, count };
  });
  return relationOf(events.length, (from, to) => {
    const { [from]: a, [to]: b } = instances;
    return (
      a !== undefined && b !== undefined && from !== to && a.count === b.count && sameCta(program, a.agent, b.agent)
    );
  });
}
