import type { SourceNumber } from './candidates.ts';
import type { PassedWait } from './earliest.ts';
import type { LateMeeting } from './meetings.ts';
import type { ByteRange } from './requests.ts';
import type { Run } from './run.ts';

/**
 * A decision of a run: a read or a wait, with the sources that it may take, or a barrier, with the
 * agents that may complete it.
 */
export interface DecisionNode {
  /** Of a barrier: once it has been applied. */
  decision: number;
  /** The number of events of the run at that point: the decision is not made again before it. */
  readonly events: number;
  readonly ranges: readonly ByteRange[];
  readonly options: readonly Option[];
  /** The current option; past the last one: none of them, but a write still to come. */
  at: number;
  postpone: boolean;
  /** For a wait: true if the writes beside which there are earlier ones are skipped. */
  readonly isEarliest: boolean;
  /** True for the choice of agents that a barrier releases, which cannot be postponed. */
  readonly isMeeting?: boolean;
  /** The attempt that passed it in this run. */
  passed: PassedWait | undefined;
}

export type Option =
  | { readonly kind: 'read'; readonly sources: readonly SourceNumber[] }
  | { readonly kind: 'wait'; readonly reads: readonly NumberedRead[] }
  | { readonly kind: 'meeting'; readonly completion: readonly number[] };

interface NumberedRead {
  readonly sources: readonly SourceNumber[];
}

/** The choice of the agents that complete a barrier. */
export function meetingNode(run: Run, { completions: ways }: LateMeeting): DecisionNode {
  return {
    decision: -1,
    events: run.graph.events.length,
    ranges: [],
    options: ways.map((completion) => ({ kind: 'meeting', completion })),
    at: 0,
    postpone: false,
    isEarliest: false,
    isMeeting: true,
    passed: undefined,
  };
}
