import { before, morallyStrong, type GraphEvent, type ReadSource } from './graph-event.ts';
import type { Run } from './run.ts';
import type { PendingRead } from './running-agent.ts';

/**
 * Finds the last earlier write of the read's own thread that covers all its bytes and exists for
 * all values of other reads. The read cannot take any write that coherence orders before it, so no
 * axiom needs to be checked. Without this, a thread that changes one word many times would cause a
 * check for each value.
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
 * Returns the writes that a chain of read-modify-writes connects with `write`: the chain has read
 * them, and has written `write`.
 */
export function chainBefore(write: GraphEvent | undefined): ReadonlySet<GraphEvent> {
  const found = new Set<GraphEvent>();
  for (let later = write; later !== undefined;) {
    const sources: readonly ReadSource[] = later.partner?.sources ?? [];
    const from: GraphEvent | undefined = sources.length === 1 ? sources[0]?.write : undefined;
    if (from === undefined || found.has(from) || !morallyStrong(from, later)) break;
    found.add(from);
    later = from;
  }
  return found;
}
