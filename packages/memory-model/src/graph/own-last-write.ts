import { before } from './causality.ts';
import { morallyStrong, type GraphEvent, type Source } from './graph-event.ts';
import type { PendingRead, Run } from './run.ts';

/**
 * The last write of a read's own thread before it, over all its bytes, that is there whatever other
 * reads take. What comes before that in coherence order it cannot read, and no axiom needs to be
 * asked: threads that change one word again and again would be asked for each of its values.
 */
export function ownLastWrite(run: Run, { event, needs }: PendingRead): GraphEvent | undefined {
  let last: GraphEvent | undefined;
  for (const write of run.graph.clusterOf(event.at, event.bytes).events) {
    const isOwn = write.kind === 'write' && write.live && before(write, event) && (write.exists & ~needs) === 0n;
    const isWhole = write.at <= event.at && event.at + event.bytes <= write.at + write.bytes;
    if (isOwn && isWhole && (last === undefined || last.position < write.position)) last = write;
  }
  return last;
}

/**
 * The writes that a write comes after because read-modify-writes, from one to the next, have read
 * one and written the other.
 */
export function chainBefore(write: GraphEvent | undefined): ReadonlySet<GraphEvent> {
  const found = new Set<GraphEvent>();
  for (let later = write; later !== undefined;) {
    const sources: readonly Source[] = later.partner?.sources ?? [];
    const from: GraphEvent | undefined = sources.length === 1 ? sources[0]?.write : undefined;
    if (from === undefined || found.has(from) || !morallyStrong(from, later)) break;
    found.add(from);
    later = from;
  }
  return found;
}
