import { before, Causality } from './causality.ts';
import type { GraphEvent } from './graph-event.ts';
import type { Run } from './run.ts';
import type { PendingRead } from './running-agent.ts';

/**
 * The events that precede some of a run by program order or synchronization, as far as that is
 * decided.
 */
export interface EventsBefore {
  /** True if the event is one of them, or precedes one. */
  has(event: GraphEvent): boolean;
  /** The reads among them that are not bound yet: they may bring further ones. */
  readonly open: readonly PendingRead[];
}

export function eventsBefore({ graph, pending }: Run, events: readonly GraphEvent[]): EventsBefore {
  const causality = new Causality(graph);
  const has = (event: GraphEvent): boolean =>
    events.some((later) => event === later || before(event, later) || causality.base(event, later));
  return { has, open: pending.filter(({ event }) => has(event)) };
}
