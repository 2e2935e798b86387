import { eventsOf, shapeKeyOf, shapeOf } from '../oracle/candidate.ts';
import type { Candidate, Shape } from '../oracle/candidate.ts';
import { overtaken } from '../oracle/overtaken.ts';
import { Relation } from '../oracle/relation.ts';
import { locationsOf } from '../oracle/small-program.ts';
import type { SmallProgram } from '../oracle/small-program.ts';
import type { ScheduledEvent } from './schedule.ts';

/** The races of one schedule according to the axioms, as `agent.position agent.position`. */
export type RacesOfSchedule = Readonly<{
  all: ReadonlySet<string>;
  /**
   * The races that the engine must report if it reports none of the others. The engine forgets a
   * strong access when a later strong write of no wider scope reaches the same location. It then
   * misses a race with an access that only the write's scope includes.
   */
  sure: ReadonlySet<string>;
  /**
   * The pairs that the engine falsely reports as races. Its chains of read-modify-writes do not
   * begin at a plain write of the thread that makes the first one.
   */
  excused: ReadonlySet<string>;
}>;

/**
 * Finds the races. The values read and the order of sc fences are known in a schedule, so no search
 * is needed.
 */
export class ScheduleRaces {
  readonly #program: SmallProgram;
  readonly #locations: readonly string[];
  readonly #shapes = new Map<string, Shape>();
  readonly #known = new Map<string, RacesOfSchedule>();

  constructor(program: SmallProgram) {
    this.#program = program;
    this.#locations = locationsOf(program);
  }

  /** The pairs of operations that race if the steps run in this order. */
  of(events: readonly ScheduledEvent[]): RacesOfSchedule {
    const runs = this.#program.agents.map((_, agent) => ({
      events: events.filter((event) => event.agent === agent),
      registers: new Map<string, number>(),
      stuck: undefined,
    }));
    const order = new Map(runs.flatMap((run) => run.events).map((event, i) => [event, this.#locations.length + i]));
    const reads = events.flatMap((event): readonly (readonly [number, number])[] => {
      const at = order.get(event);
      if (event.kind !== 'read' || at === undefined) return [];
      const source = event.source === undefined ? undefined : order.get(event.source);
      return [[source ?? this.#locations.indexOf(event.location), at]];
    });
    const fences = events.flatMap((event) => (event.sequential ? [order.get(event) ?? 0] : []));

    const shapeKey = shapeKeyOf(runs);
    const key = `${shapeKey}/${reads
      .map(([from, to]) => `${from}>${to}`)
      .sort()
      .join()}/${fences.join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const candidateEvents = eventsOf(this.#locations, runs);
    const shape = this.#shapes.get(shapeKey) ?? shapeOf(this.#program, candidateEvents);
    this.#shapes.set(shapeKey, shape);
    const candidate = { events: candidateEvents, ...shape };
    const cause = causalityOf(candidate, reads, fences);
    const narrow = causalityOf(
      candidate,
      reads.filter(([from]) => candidateEvents[from]?.scope !== undefined),
      fences,
    );
    const forgotten = overtaken(candidate, cause);
    const all = racesOf(candidate, forgotten.then(cause).union(cause));
    const races = {
      all,
      sure: racesOf(candidate, forgotten.then(cause.union(shape.ms)).union(cause)),
      excused: racesOf(candidate, narrow),
    };
    this.#known.set(key, races);
    return races;
  }
}

function causalityOf(
  { events, po, poLoc, ms, rmw, meets, releasing, acquiring }: Candidate,
  reads: readonly (readonly [number, number])[],
  fences: readonly number[],
): Relation {
  let observation = new Relation(events.length);
  for (const [from, to] of reads) if (ms.has(from, to)) observation.add(from, to);
  for (;;) {
    const longer = observation.union(observation.then(rmw).then(observation));
    if (longer.equals(observation)) break;
    observation = longer;
  }
  const sc = new Relation(events.length);
  fences.forEach((from, i) => {
    for (const to of fences.slice(i + 1)) if (ms.has(from, to)) sc.add(from, to);
  });
  const synchronizes = ms.intersection(releasing.then(observation).then(acquiring)).union(meets).union(sc);
  const base = po.reflexive().then(synchronizes).then(po.reflexive()).closure();
  return base.union(observation.then(base.union(poLoc)));
}

function racesOf({ events, ms }: Candidate, cause: Relation): ReadonlySet<string> {
  const races = new Set<string>();
  events.forEach((first, from) => {
    events.forEach((second, to) => {
      if (first.agent === undefined || second.agent === undefined || first.agent >= second.agent) return;
      if (first.location === '' || first.location !== second.location) return;
      if (first.kind !== 'write' && second.kind !== 'write') return;
      if (ms.has(from, to) || cause.has(from, to) || cause.has(to, from)) return;
      races.add(`${first.agent}.${first.position} ${second.agent}.${second.position}`);
    });
  });
  return races;
}
