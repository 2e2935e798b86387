import type { Later, ReadToken } from './deferred.ts';
import type { GraphEvent } from './graph-event.ts';
import type { AgentProgram, AgentSteps, UpdateFunction, Request } from './requests.ts';

/** A read whose write is not chosen yet. */
export interface PendingRead {
  readonly event: GraphEvent;
  readonly token: ReadToken;
  /** The decisions on which the existence of the read depends. */
  readonly needs: bigint;
  readonly change: Later<UpdateFunction> | undefined;
  /** The time at which it was postponed. It may choose only writes that became available later. */
  postponed: number;
  /** No write that became available up to this time fits. */
  refused: number;
}

/** An agent of a run. */
export interface RunningAgent {
  readonly number: number;
  readonly program: AgentProgram;
  readonly steps: AgentSteps;
  /** The decisions on which its next step depends. */
  control: bigint;
  /** The request that blocks it. `undefined` while it can continue. */
  blocked: Request | undefined;
  /** For a wait: its decision. */
  decision: number;
  postponed: number;
  refused: number;
  /**
   * Attempts to pass the wait that an axiom forbids. They stay forbidden for the rest of the run,
   * because graphs only grow.
   */
  readonly forbidden: Set<string>;
  answer: unknown;
  ended: boolean;
  result: Later<unknown>;
}
