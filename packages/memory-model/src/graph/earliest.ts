import type { AcceptedAttempt } from './attempts.ts';
import type { Causality } from './causality.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { morallyStrong, overlap, valueOf, type GraphEvent } from './graph-event.ts';
import type { ByteRange, Request } from './requests.ts';
import type { AttemptedRead } from './attempted-read.ts';
import type { Run } from './run.ts';

/*
 * If one write ends a wait, later writes of the same thread often end it too, because a peer may be
 * a round ahead. Reading a later write orders more events before the thread. Nothing else differs
 * if the wait returns the same value. So each execution that reads the later write has a
 * counterpart that reads the earlier one. It has the same values, the same final memory, the same
 * blocked agents, and at least the same races, and only this one is visited. The counterpart exists
 * only if no event before the wait can later turn out to follow the later write, which `isSettled`
 * and `isEarlier` check. Reading the earlier write also observes it, which orders it before the
 * events after the wait. If only this prevents a race, `isOrderedByObservation` returns true, and
 * all executions are visited.
 */

/**
 * True if everything that may precede the current event is decided: every read that may
 * synchronize, and every order of fences.
 */
export function isSettled(run: Run): boolean {
  return (
    run.pending.every(({ event }) => event.access === undefined) &&
    !run.graph.events.some(({ sequential }) => sequential)
  );
}

/** Removes attempts if another one reads earlier writes and returns the same value. */
export function withoutLater(
  run: Run,
  attempts: readonly AcceptedAttempt[],
  among: readonly AcceptedAttempt[],
  same: (a: unknown, b: unknown) => boolean,
): readonly AcceptedAttempt[] {
  return attempts.filter(
    (later) =>
      !among.some(
        (earlier) => earlier !== later && same(earlier.value, later.value) && isEarlier(run.graph, earlier, later),
      ),
  );
}

function isEarlier(graph: ExecutionGraph, earlier: AcceptedAttempt, later: AcceptedAttempt): boolean {
  if (!earlier.passes || earlier.reads.length !== later.reads.length) return false;
  return earlier.reads.every((read, i) => {
    const other = later.reads[i];
    if (other === undefined || other.site !== read.site || !isSameRange(other.range, read.range)) return false;
    if (isSameSource(read, other)) return true;
    const [from] = read.sources;
    const [to] = other.sources;
    if (from === undefined || to === undefined || read.sources.length > 1 || later.strong[i] !== true) return false;
    return (
      isSameRange(to.write, read.range) &&
      (from.write.kind === 'initial' || (earlier.strong[i] === true && isFollowed(graph, from.write, to.write)))
    );
  });
}

/**
 * True if `later` is by the same thread as `write`, and no other thread writes there. A thread that
 * reads `later` is then ordered after everything that readers of `write` are ordered after.
 * Read-modify-writes are excluded, because they continue the releases of other threads.
 */
function isFollowed(graph: ExecutionGraph, write: GraphEvent, later: GraphEvent): boolean {
  return (
    write.partner === undefined &&
    isSameRange(write, later) &&
    write.agent === later.agent &&
    write.position < later.position &&
    isAlone(graph, write)
  );
}

/** True if only its own thread writes to a write's bytes. */
function isAlone(graph: ExecutionGraph, write: GraphEvent): boolean {
  return graph
    .clusterOf(write.at, write.bytes)
    .events.every((other) => other.kind !== 'write' || other.agent === write.agent || !overlap(other, write));
}

function isSameRange(a: ByteRange, b: ByteRange): boolean {
  return a.at === b.at && a.bytes === b.bytes;
}

function isSameSource(a: AttemptedRead, b: AttemptedRead): boolean {
  return (
    a.sources.length === b.sources.length &&
    a.sources.every(({ write, offset, bytes }, i) => {
      const other = b.sources[i];
      return other?.write === write && other.offset === offset && other.bytes === bytes;
    })
  );
}

/** A wait that ended at a point of the run where everything was settled. */
export interface PassedWait {
  readonly wait: Extract<Request, { kind: 'wait' }>;
  readonly reads: readonly AttemptedRead[];
  /** The same reads, as events of the graph. */
  readonly events: readonly GraphEvent[];
  /** The values that they read. */
  readonly values: readonly bigint[];
  readonly value: unknown;
}

/**
 * True if `write`, which appeared later, would have ended the wait with the same value. The run
 * with `write` can then be skipped.
 */
export function hasPassedBefore(graph: ExecutionGraph, passed: PassedWait, write: GraphEvent): boolean {
  const { wait, reads, events, values, value } = passed;
  if (!events.some((event) => overlap(event, write))) return false;
  const follows = reads.every(({ range, sources: [from, ...others] }, i) => {
    const event = events[i];
    if (event === undefined || !overlap(event, write)) return true;
    if (from === undefined || others.length > 0 || !isSameRange(write, range) || !morallyStrong(write, event))
      return false;
    return from.write.kind === 'initial' || (morallyStrong(from.write, event) && isFollowed(graph, from.write, write));
  });
  if (!follows) return false;
  let index = 0;
  try {
    const again = wait.probe((range, _access, site) => {
      const event = events[index];
      const known = values[index];
      const read = reads[index++];
      if (event === undefined || known === undefined || read === undefined) throw new LooksElsewhere();
      if (read.site !== site || !isSameRange(read.range, range)) throw new LooksElsewhere();
      return overlap(event, write) ? valueOf(write) : known;
    });
    return again !== undefined && wait.same(again.value, value);
  } catch (error) {
    if (error instanceof LooksElsewhere) return false;
    throw error;
  }
}

/** An attempt that reads a later write may read other locations than the wait did. */
class LooksElsewhere extends Error {}

/** True if the writes that ended a wait do not race only because the wait has read them. */
export function isOrderedByObservation(
  graph: ExecutionGraph,
  { reads }: PassedWait,
  causality: () => Causality | undefined,
): boolean {
  return reads.some(({ sources }) =>
    sources.some(({ write }) => {
      if (write.kind === 'initial') return false;
      return graph.clusterOf(write.at, write.bytes).events.some((other) => {
        if (!other.live || other.agent === write.agent || !overlap(other, write) || morallyStrong(other, write))
          return false;
        const order = causality();
        return order !== undefined && !order.base(write, other) && !order.base(other, write);
      });
    }),
  );
}
