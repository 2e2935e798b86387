import type { Liveness, StateGraph } from '@nccl-ts/ir';

export interface StateProgram {
  readonly graph: StateGraph;
  readonly liveness: Liveness;
}
