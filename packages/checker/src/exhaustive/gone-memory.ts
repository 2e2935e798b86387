import type { Execution, GraphEvent } from '@nccl-ts/memory-model';
import { ctaOfShared, isShared } from './cta-state.ts';
import type { ExploredWorld } from './explored-world.ts';

/**
 * The accesses to the shared memory of another CTA that may come after all its threads have ended,
 * each with the end of one of these.
 */
export function* accessesToGone(
  { participants }: ExploredWorld,
  { run, consistent }: Execution,
): Generator<readonly [access: GraphEvent, end: GraphEvent]> {
  let ends: ReadonlyMap<number, readonly GraphEvent[]> | undefined;
  for (const event of run.graph.events) {
    if (!event.isMemory || !event.live || !isShared(event.at)) continue;
    const owner = ctaOfShared(event.at);
    if (owner === event.coordinates.cta) continue;
    ends ??= endsOfThreads(run, (agent) => {
      const of = participants.ownerOf(run, agent);
      return of?.kind === 'thread' && of.by === undefined;
    });
    const [first, ...others] = ends.get(owner) ?? [];
    if (first === undefined) continue;
    if (![first, ...others].some((end) => consistent.causality.base(event, end))) yield [event, first];
  }
}

/** The last events of the threads of each CTA all of whose threads have ended. */
function endsOfThreads(
  run: Execution['run'],
  isThread: (agent: number) => boolean,
): ReadonlyMap<number, readonly GraphEvent[]> {
  const ends = new Map<number, GraphEvent[]>();
  const running = new Set<number>();
  for (const { number, ended } of run.agents) {
    if (!isThread(number)) continue;
    const last = run.graph.eventsOf(number).at(-1);
    if (last === undefined) continue;
    const { cta } = last.coordinates;
    if (!ended) running.add(cta);
    ends.set(cta, [...(ends.get(cta) ?? []), last]);
  }
  for (const cta of running) ends.delete(cta);
  return ends;
}
