import type { Site } from '@nccl-ts/findings';
import type { CallStatement, Module, Span } from '@nccl-ts/ir';
import type { AgentProgram, Later } from '@nccl-ts/memory-model';
import type { ArgValue } from '@nccl-ts/codegen';
import type { CtaState } from './cta-state.ts';
import type { LaterValue } from './element.ts';
import type { EvaluationScope } from './evaluate.ts';
import type { Steps } from './steps.ts';

/** The surroundings of a thread: its launch in this execution. */
export interface ThreadContext {
  readonly module: Module;
  readonly args: readonly ArgValue[];
  readonly cta: CtaState;
  readonly regions: EvaluationScope['regions'];
  readonly pointerAt: EvaluationScope['pointerAt'];
  readonly addressOf: EvaluationScope['addressOf'];
  /** The number of loop rounds that a thread may run. */
  readonly fuel: number;
  /** Called for each round of a loop. It throws if no more work is left for the exploration. */
  readonly round: () => void;
  /**
   * Returns the number of a source location, by which races and waits name it. With `broadcast`, it
   * is that of an ordinary store through a multicast address.
   */
  readonly site: (span: Span, what: Site['what'], broadcast?: true) => number;
  /** Called for something that is not modelled exactly. */
  approximates(span: Span, how: string): void;
  print(thread: number, parts: readonly Later<string | number | bigint | boolean>[]): void;
  /**
   * Applies an acquire: the writes that are covered by the network signals that the thread has read
   * become visible.
   */
  acquired(): Steps<void>;
  /**
   * The agents of puts that arrive before the thread's next write at a heap address, and of
   * launches that have ended for the thread.
   */
  readonly delivered: (at: number) => Steps<readonly number[]>;
  /**
   * Returns the program of an agent that makes a bulk copy for the thread, or an asynchronous store
   * through the generic proxy.
   */
  readonly copier: (isGeneric: boolean) => AgentProgram;
  /** Returns the program of an agent that stands for an arrival at the cluster's barrier. */
  readonly arrival: () => AgentProgram;
  /** Called with the agents of each bulk copy. */
  readonly copies: (agents: readonly number[]) => void;
  /** Runs a call without a body. Returns its result, if it has one. */
  primitive(call: CallStatement, thread: number, values: readonly LaterValue[]): Steps<LaterValue | undefined>;
}
