import type { Causality } from './causality.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { before, morallyStrong, reaches, type GraphEvent } from './graph-event.ts';
import type { RacingPair } from './races.ts';

/**
 * The synchronization that would have ordered two accesses of an execution. The reasons are those
 * of a watched race.
 */
export interface GraphMissing {
  readonly reason:
    | 'release'
    | 'acquire'
    | 'scope'
    | 'coop-sync'
    | 'strong'
    | 'completion'
    | 'overwrite'
    | 'synchronisation';
  /** The access that is too weak, or the access of the thread that synchronized. */
  readonly at?: GraphEvent;
}

/** A racing pair, in the order in which a partial synchronization leads from one to the other. */
export interface ExplainedRace {
  readonly before: GraphEvent;
  readonly now: GraphEvent;
  /** The nearest first. */
  readonly missing: readonly GraphMissing[];
}

/**
 * Finds the partial synchronization between two racing accesses. It may be a flag that does not
 * release or is not acquired, a scope that is too narrow, or a network operation without a wait. Or
 * a thread of a CTA did not synchronize with the thread that did the rest.
 */
export function explainPair(graph: ExecutionGraph, causality: Causality, { first, second }: RacingPair): ExplainedRace {
  const [a, b] = first.id < second.id ? [first, second] : [second, first];
  const forth = { before: a, now: b, missing: between(graph, causality, a, b) };
  if (!isNothing(forth.missing)) return forth;
  const back = { before: b, now: a, missing: between(graph, causality, b, a) };
  return isNothing(back.missing) ? forth : back;
}

function isNothing(missing: readonly GraphMissing[]): boolean {
  return missing.every(({ reason }) => reason === 'synchronisation');
}

function between(graph: ExecutionGraph, causality: Causality, a: GraphEvent, b: GraphEvent): readonly GraphMissing[] {
  const strength = strengthOf(a, b);
  if (strength?.reason === 'scope') return [strength];
  const rest = orders(graph, causality, a, b);
  if (strength === undefined) return rest;
  return isNothing(rest) ? [strength, ...rest] : [...rest, strength];
}

/**
 * The reason why the two accesses are not morally strong, if at least one of them has a memory
 * order.
 */
function strengthOf(a: GraphEvent, b: GraphEvent): GraphMissing | undefined {
  if (a.access === undefined && b.access === undefined) return undefined;
  // No order of a thread's access makes it strong for a reduction of the fabric.
  if (a.access?.fabric !== b.access?.fabric) return undefined;
  if (b.access === undefined) return { reason: 'strong', at: b };
  if (a.access === undefined || a.at !== b.at || a.bytes !== b.bytes) return { reason: 'strong', at: a };
  return { reason: 'scope', at: reaches(b, a) ? a : b };
}

function orders(graph: ExecutionGraph, causality: Causality, a: GraphEvent, b: GraphEvent): readonly GraphMissing[] {
  if (a.coordinates.on === 'network' || b.coordinates.on === 'network') {
    return [{ reason: overwrites(graph, causality, a, b) ? 'overwrite' : 'completion' }];
  }
  if (a.coordinates.proxy !== undefined) return [{ reason: 'completion' }];
  // A bulk copy comes after what the thread that began it has read.
  const opener = b.coordinates.proxy === undefined ? undefined : openerOf(graph, b);
  if (opener !== undefined) return orders(graph, causality, a, opener);
  const sibling = graph.events.find(
    (event) =>
      isSibling(event, b) &&
      event.agent !== a.agent &&
      event.kind !== 'point' &&
      !isEnd(graph, event) &&
      causality.base(a, event),
  );
  if (sibling !== undefined) return [{ reason: 'coop-sync', at: sibling }];
  if (isSibling(a, b)) return [{ reason: 'coop-sync' }];
  const flags = flagsBefore(graph, b);
  const led = flags.findLast(({ write }) => isAfter(causality, a, write));
  if (led !== undefined) return shortcomings(graph, causality, a, b, led);
  // The writer of the flag had not synchronized with the thread that accessed. If the access comes
  // after the flag, the flag cannot order it.
  const other = flags.findLast(({ write }) => isSibling(write, a) && write.agent !== a.agent);
  if (other === undefined || isAfter(causality, other.write, a)) return [{ reason: 'synchronisation' }];
  return [{ reason: 'coop-sync', at: other.write }];
}

/** True for the fence with which a kernel ends. A `sync` after it is not possible. */
function isEnd(graph: ExecutionGraph, event: GraphEvent): boolean {
  return event.kind === 'fence' && graph.eventsOf(event.agent).findLast(({ kind }) => kind !== 'point') === event;
}

/** The event of the thread that began a bulk copy. */
function openerOf(graph: ExecutionGraph, { agent }: GraphEvent): GraphEvent | undefined {
  const opener = graph.eventsOf(agent)[0]?.follows[0];
  return opener?.coordinates.proxy === undefined ? opener : undefined;
}

/**
 * True if the network writes to a location of which a thread of another rank has waited for an
 * earlier write, or where it waits for this one only after its access.
 */
function overwrites(graph: ExecutionGraph, causality: Causality, a: GraphEvent, b: GraphEvent): boolean {
  const [network, thread] = a.coordinates.on === 'network' ? [a, b] : [b, a];
  const isThread =
    (thread.coordinates.on ?? 'device') === 'device' && thread.coordinates.rank !== network.coordinates.rank;
  if (network.kind !== 'write' || !isThread) return false;
  const waitsLater = graph
    .eventsOf(thread.agent)
    .some((later) => later.position > thread.position && !isEnd(graph, later) && causality.base(network, later));
  if (waitsLater) return true;
  return graph.events.some(
    (other) =>
      other.kind === 'write' &&
      other.coordinates.on === 'network' &&
      other.at === network.at &&
      other !== network &&
      isAfter(causality, other, thread),
  );
}

/**
 * A word that a thread has read, with its writer. The thread may have read it through later changes
 * by others.
 */
interface Flag {
  readonly read: GraphEvent;
  readonly write: GraphEvent;
}

/**
 * The words of other threads read before `b`, by its thread or by one that it has synchronized with
 * since.
 */
function flagsBefore(graph: ExecutionGraph, b: GraphEvent): readonly Flag[] {
  return graph.events.flatMap((read) => {
    if (read.kind !== 'read' || read.sources === undefined || !before(read, b)) return [];
    const flags: Flag[] = [];
    for (const { write } of read.sources) {
      // Data that is stored and loaded plainly is no flag.
      if (read.access === undefined && write.access === undefined && read.waitsFrom < 0) continue;
      let at: GraphEvent | undefined = write;
      const seen = new Set<GraphEvent>();
      while (at !== undefined && at.kind === 'write' && !seen.has(at)) {
        seen.add(at);
        if (at.agent !== b.agent) flags.push({ read, write: at });
        at = at.partner?.sources?.[0]?.write;
      }
    }
    return flags;
  });
}

function isAfter(causality: Causality, a: GraphEvent, event: GraphEvent): boolean {
  return before(a, event) || causality.base(a, event);
}

function isSibling(a: GraphEvent, b: GraphEvent): boolean {
  const isDevice = (a.coordinates.on ?? 'device') === 'device' && (b.coordinates.on ?? 'device') === 'device';
  return isDevice && a.agent !== b.agent && a.coordinates.cta === b.coordinates.cta;
}

/** The reasons why a flag written after `a` and read before `b` does not order them. */
function shortcomings(
  graph: ExecutionGraph,
  causality: Causality,
  a: GraphEvent,
  b: GraphEvent,
  { read, write }: Flag,
): readonly GraphMissing[] {
  const isSameWord = read.at === write.at && read.bytes === write.bytes;
  if (write.access === undefined || read.access === undefined || !isSameWord) return [{ reason: 'strong', at: read }];
  const releases = graph
    .eventsOf(write.agent)
    .some((event) => event.releases && event.position <= write.position && isAfter(causality, a, event));
  const acquiring = graph
    .eventsOf(read.agent)
    .filter((event) => event.acquires && event.position >= read.position && event.position < b.position);
  const missing: GraphMissing[] = [];
  if (!morallyStrong(write, read)) missing.push({ reason: 'scope', at: write });
  if (!releases) missing.push({ reason: 'release', at: write });
  if (acquiring.length === 0) missing.push({ reason: 'acquire', at: read });
  if (missing.length > 0) return missing;
  return [{ reason: 'scope', at: acquiring.some((event) => reaches(event, write)) ? write : read }];
}
