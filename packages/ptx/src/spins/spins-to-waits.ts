import type { LocalId, Span } from '@nccl-ts/ir';
import { removeDeadLocals } from '../flow/dead-locals.ts';
import type { FlowBlock, FlowBlockId, FlowGraph, FreshNames } from '../flow/flow-graph.ts';
import { inlineConditions } from '../flow/inline-conditions.ts';
import { findLiveLocals, type LiveLocals } from '../flow/live-locals.ts';
import { shapeOf, type FlowShape } from '../flow/loops.ts';
import { simplifyFlow } from '../flow/simplify-flow.ts';
import { carriedBy } from './carried.ts';
import { dropCounters } from './drop-counters.ts';
import { hoistEntries } from './hoist-entries.ts';
import { joinPeeled } from './join-peeled.ts';
import { findLookLoops, type LookLoop } from './look-loop.ts';
import { polledBy } from './polled-loads.ts';
import { rotateLoops } from './rotate-loops.ts';
import { sinkStores } from './sink-stores.ts';
import { splitEnds } from './split-ends.ts';
import { threadEnds } from './thread-ends.ts';
import { waitBlock } from './wait-round.ts';

/** A graph with waits instead of loops that only read. */
export interface GraphWithWaits {
  readonly graph: FlowGraph;
  readonly shape: FlowShape;
  /**
   * The spans of loads without an order with which loops poll. These loops also become waits, with
   * a warning.
   */
  readonly weak: readonly Span[];
}

/** The loops that only read, and properties of the graph around them. */
interface Looks {
  readonly graph: FlowGraph;
  readonly shape: FlowShape;
  readonly loops: readonly LookLoop[];
  readonly live: LiveLocals;
}

/**
 * Replaces loops by waits. A loop that only reads memory or the clock until it finds the awaited
 * value becomes a `wait`. Afterwards the locals that it sets have the values of the last round.
 * `graph` must be simplified and have the given shape.
 *
 * A loop becomes a wait if no round depends on the previous one. Peeled first rounds are moved
 * back, and tests before the loads are moved after them. Counters that only decide how often to
 * read a further word are removed (see `dropCounters`). A loop that ends by the clock becomes a
 * timed wait. Loops that modify words, synchronize with other threads, fence, or give up after few
 * rounds stay loops. Blocks that only lead out of the loop, and stores to the thread's own memory,
 * move behind it first (see `threadEnds`, `sinkStores`).
 */
export function spinsToWaits(graph: FlowGraph, given: FlowShape, fresh: FreshNames): GraphWithWaits {
  const threaded = threadEnds(graph, given);
  const shapeOfThreaded = threaded === graph ? given : shapeOf(threaded);
  // A jump that skips blocks on the way out of a loop creates no loop with two entries.
  if ('irreducible' in shapeOfThreaded) throw new RangeError('A jump out of a loop gave another loop two entries.');
  const sunk = sinkStores(threaded, shapeOfThreaded, fresh);
  const shapeOfSunk = sunk === threaded ? shapeOfThreaded : shapeOf(sunk);
  // New blocks behind loops create no loop with two entries.
  if ('irreducible' in shapeOfSunk) throw new RangeError('Stores behind a loop gave another loop two entries.');
  let found = looksOf(sunk, shapeOfSunk);
  if (found.loops.length === 0) return { graph, shape: given, weak: [] };
  const steps = [
    tidy,
    (at: Looks) => splitEnds(at.graph, at.loops),
    (at: Looks) => hoistEntries(at.graph, at.shape, at.loops),
    (at: Looks) => joinPeeled(at.graph, at.shape, at.loops),
    (at: Looks) => rotateLoops(at.graph, at.shape, at.loops, at.live),
    (at: Looks) => dropCounters(at.graph, at.shape, at.loops, at.live, fresh),
    (at: Looks) => joinPeeled(at.graph, at.shape, at.loops),
  ];
  for (const step of steps) {
    const next = step(found);
    if (next === found.graph) continue;
    const made = tidyGraph(next);
    const shape = shapeOf(made);
    // These steps do not create loops with two entries. If one did, its input would still be
    // correct.
    if ('irreducible' in shape) break;
    found = looksOf(made, shape);
  }
  return withWaits(found, fresh);
}

function tidy({ graph }: Looks): FlowGraph {
  return removeDeadLocals(inlineConditions(graph));
}

function tidyGraph(graph: FlowGraph): FlowGraph {
  return simplifyFlow(removeDeadLocals(inlineConditions(simplifyFlow(graph))));
}

function looksOf(graph: FlowGraph, shape: FlowShape): Looks {
  const loops = findLookLoops(graph, shape);
  const locals = new Set<LocalId>(loops.flatMap(({ sets }) => [...sets]));
  return { graph, shape, loops, live: findLiveLocals(graph, shape.flow, locals) };
}

function withWaits({ graph, shape, loops, live }: Looks, fresh: FreshNames): GraphWithWaits {
  const waits = new Map<FlowBlockId, FlowBlock>();
  const weak: Span[] = [];
  for (const loop of loops) {
    if (loop.exits.length === 0 || carriedBy(loop, live).size > 0) continue;
    const polled = polledBy(graph, loop);
    if (polled.kind === 'weak') weak.push(polled.span);
    else if (polled.kind === 'ordered') weak.push(...polled.weak);
    // A poll with weak loads also becomes a wait. It does not loop forever, and its race is
    // immediately visible.
    if (polled.kind !== 'nothing') waits.set(loop.head, waitBlock(graph, loop, fresh, polled.span));
  }
  if (waits.size === 0) return { graph, shape, weak };
  const simple = simplifyFlow({ blocks: graph.blocks.map((block, id) => waits.get(id) ?? block) });
  const after = shapeOf(simple);
  if ('irreducible' in after) throw new RangeError('Replacing a loop by a wait gave another loop two entries.');
  return { graph: simple, shape: after, weak };
}
