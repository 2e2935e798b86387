import type { Body, Span } from '@nccl-ts/ir';
import type { FlowGraph, FreshNames } from '../flow/flow-graph.ts';
import { shapeOf } from '../flow/loops.ts';
import { simplifyFlow } from '../flow/simplify-flow.ts';
import { removeDeadLocals } from '../flow/dead-locals.ts';
import { waitBeforeVotes } from '../spins/vote-loops.ts';
import { spinsToWaits } from '../spins/spins-to-waits.ts';
import { emitStructure } from './emit-structure.ts';

/** The result of structuring a graph. */
export type StructuredFlow =
  | { readonly body: Body; readonly weakSpins: readonly WeakSpin[] }
  /** The jumps that lead into the middle of a loop. */
  | { readonly irreducible: readonly Span[] };

/**
 * A loop that polls by loads without an order. Such loads may never see another thread's store, but
 * the loop still becomes a wait.
 */
export interface WeakSpin {
  /** The value of the load. */
  readonly span: Span;
}

/**
 * Converts `graph` to structured code, with `if`, `loop`, `block` and `leave`. Loops that only read
 * memory until it has changed become a `wait` (see `spinsToWaits`). Statements with effects are
 * emitted once or, if they are unreachable, not at all. In functions with such loops, code without
 * effect is omitted.
 */
export function structureFlow(graph: FlowGraph, fresh: FreshNames): StructuredFlow {
  const simple = simplifyFlow(graph);
  const shape = shapeOf(simple);
  if ('irreducible' in shape) return shape;
  const waiting = spinsToWaits(simple, shape, fresh);
  const voting = waitBeforeVotes(waiting.graph, waiting.shape, fresh);
  const made = voting.graph === waiting.graph ? waiting.graph : removeDeadLocals(simplifyFlow(voting.graph));
  const after = made === waiting.graph ? waiting.shape : shapeOf(made);
  if ('irreducible' in after) return after;
  return {
    body: emitStructure(made, after, fresh),
    weakSpins: [...waiting.weak, ...voting.weak].map((span) => ({ span })),
  };
}
