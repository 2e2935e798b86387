import { Causality } from './causality.ts';
import { before, type GraphEvent } from './graph-event.ts';
import type { Run } from './run.ts';
import type { PendingRead } from './running-agent.ts';

/**
 * The events of a run that precede certain other events by program order or decided
 * synchronization.
 */
export interface EventsBefore {
  /** True if the event is one of them, or precedes one. */
  has(event: GraphEvent): boolean;
  /** The reads among them that are not bound yet. They may add further events. */
  readonly open: readonly PendingRead[];
}

export function eventsBefore({ graph, pending }: Run, events: readonly GraphEvent[]): EventsBefore {
  const causality = new Causality(graph);
  const has = (event: GraphEvent): boolean =>
    events.some((later) => event === later || before(event, later) || causality.base(event, later));
  return { has, open: pending.filter(({ event }) => has(event)) };
}
