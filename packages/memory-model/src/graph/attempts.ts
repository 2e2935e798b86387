import { candidates } from './candidates.ts';
import type { Causality } from './causality.ts';
import { before, morallyStrong, type GraphEvent, type ReadSource } from './graph-event.ts';
import type { Access, ByteRange, Site } from './requests.ts';
import type { AttemptedRead } from './attempted-read.ts';
import type { Run } from './run.ts';
import type { RunningAgent } from './running-agent.ts';

/** One evaluation of a wait's condition, which may or may not end the wait. */
export interface WaitAttempt {
  readonly reads: readonly AttemptedRead[];
  readonly passes: boolean;
  /** The value of the wait if the attempt passes. */
  readonly value: unknown;
}

/** An attempt that no axiom forbids. */
export interface AcceptedAttempt extends WaitAttempt {
  /** For each read: true if all its bytes come from one write, and the two are morally strong. */
  readonly strong: readonly boolean[];
}

/**
 * The most attempts that are enumerated. If there are more, each read is checked before the next
 * one is made.
 */
const MOST = 512;

/**
 * True if reads may take their bytes from these sources. The reads are in the graph and bound to
 * them.
 */
export type Accepts = (sources: readonly ReadSource[]) => boolean;

/**
 * Enumerates every attempt to pass a wait whose reads take their bytes from existing writes. The
 * axioms may forbid some of them. Few attempts are useful, and checking an attempt costs more than
 * making it.
 */
export function attempts(run: Run, agent: RunningAgent, accepts: Accepts): readonly WaitAttempt[] {
  const made = [...enumerated(run, agent, (read) => candidates(run.graph, read.range, -1), MOST)];
  if (made.length <= MOST) return made;
  return [...enumerated(run, agent, (read, earlier) => assignments(run, agent, read, earlier, accepts), Infinity)];
}

type AssignmentsOf = (
  read: Omit<AttemptedRead, 'sources'>,
  made: readonly AttemptedRead[],
) => readonly (readonly ReadSource[])[];

/** Returns the attempts, and stops at `most` + 1. */
function* enumerated(
  run: Run,
  agent: RunningAgent,
  assignmentsOf: AssignmentsOf,
  most: number,
): Generator<WaitAttempt> {
  const { blocked } = agent;
  if (blocked?.kind !== 'wait') return;
  const choices: { readonly assignments: readonly (readonly ReadSource[])[]; at: number }[] = [];
  let count = 0;
  do {
    const reads: AttemptedRead[] = [];
    try {
      const passed = blocked.probe((range: ByteRange, access: Access | undefined, site: Site) => {
        const index = reads.length;
        const chosen = (choices[index] ??= { assignments: assignmentsOf({ range, access, site }, reads), at: 0 });
        const sources = chosen.assignments[chosen.at];
        if (sources === undefined) throw new NoSourceLeft();
        reads.push({ range, access, site, sources });
        return run.valueOf(range, sources);
      });
      yield { reads, passes: passed !== undefined, value: passed?.value };
      if (++count > most) return;
    } catch (error) {
      if (!(error instanceof NoSourceLeft)) throw error;
    }
  } while (next(choices));
}

/** Returns the attempt, if `accepts` allows the sources of its reads. */
export function accepted(
  run: Run,
  agent: RunningAgent,
  attempt: WaitAttempt,
  accepts: Accepts,
): AcceptedAttempt | undefined {
  const mark = run.graph.events.length;
  const strong = attempt.reads.map((read) => {
    const event = run.tryRead(agent, read);
    const [source, ...others] = read.sources;
    return source !== undefined && others.length === 0 && morallyStrong(source.write, event);
  });
  const fits = accepts(attempt.reads.flatMap(({ sources }) => sources));
  run.forgetTo(mark);
  return fits ? { ...attempt, strong } : undefined;
}

function assignments(
  run: Run,
  agent: RunningAgent,
  read: Omit<AttemptedRead, 'sources'>,
  made: readonly AttemptedRead[],
  accepts: Accepts,
): readonly (readonly ReadSource[])[] {
  const mark = run.graph.events.length;
  for (const earlier of made) run.tryRead(agent, earlier);
  const start = run.graph.events.length;
  const fitting = candidates(run.graph, read.range, -1).filter((sources) => {
    run.tryRead(agent, { ...read, sources });
    const fits = accepts(sources);
    run.forgetTo(start);
    return fits;
  });
  run.forgetTo(mark);
  return fitting;
}

/** Advances to the next choice, changing the last position first. Returns true if there is one. */
function next(choices: { readonly assignments: readonly unknown[]; at: number }[]): boolean {
  for (let last = choices.at(-1); last !== undefined; last = choices.at(-1)) {
    last.at++;
    if (last.at < last.assignments.length) return true;
    choices.pop();
  }
  return false;
}

/** A name that differs between attempts of one wait. */
export function nameOf({ reads }: WaitAttempt): string {
  return reads
    .map(
      ({ range, sources }) =>
        `${range.at}/${range.bytes}: ${sources.map(({ write, offset }) => `${write.id}+${offset}`).join()}`,
    )
    .join('; ');
}

/** The ranges that an attempt read. */
export function rangesOf({ reads }: WaitAttempt): readonly ByteRange[] {
  return reads.map(({ range }) => range);
}

/** Signals that a read of an attempt has no write left to take. */
class NoSourceLeft extends Error {}

/**
 * True if program order and the run's causality order allow an attempt to have read the final
 * contents of memory.
 */
export function mayLast({ graph }: Run, { reads }: WaitAttempt, causality: Causality): boolean {
  const isBefore = (write: GraphEvent, other: GraphEvent): boolean =>
    write.kind === 'initial' || before(write, other) || causality.precedes(write, other);
  return reads.every(({ range, sources }) =>
    sources.every(({ write, offset, bytes }) =>
      [...graph.writesOver(range.at + offset, bytes)].every((other) => other === write || !isBefore(write, other)),
    ),
  );
}
