import { at as elementAt } from '@nccl-ts/core';
import { flowTargets, mapFlowTargets } from '../flow/flow-ends.ts';
import type { FlowBlock, FlowGraph } from '../flow/flow-graph.ts';
import type { FlowShape } from '../flow/loops.ts';
import type { LiveLocals } from '../flow/live-locals.ts';
import { carriedBy } from './carried.ts';
import type { LookLoop } from './look-loop.ts';
import { polledBy } from './polled-loads.ts';

/**
 * Rotates loops that first test the value of the previous round, such as `while (v != x) v =
 * ld(p)`. The result is a test and a loop that loads first: `if (v != x) do v = ld(p); while (v !=
 * x)`. The test is duplicated, but it loads nothing.
 */
export function rotateLoops(
  graph: FlowGraph,
  shape: FlowShape,
  loops: readonly LookLoop[],
  live: LiveLocals,
): FlowGraph {
  let blocks: FlowBlock[] | undefined;
  for (const loop of loops) {
    const { head } = loop;
    const test = elementAt(graph.blocks, head);
    const isTest = test.body.every((s) => s.kind === 'assign');
    const goesOn = flowTargets(test.end).filter((to) => loop.has(to));
    const [next] = goesOn;
    if (!isTest || goesOn.length !== 1 || next === undefined || next === head || flowTargets(test.end).length < 2)
      continue;
    if (elementAt(shape.flow.forward, next).length > 1) continue;
    const left = [...loop.sets].filter((local) => live.isLiveInto(next, local)).length;
    if (left >= carriedBy(loop, live).size) continue;
    if (polledBy(graph, loop).kind === 'nothing') continue;
    blocks ??= [...graph.blocks];
    // The entry of the graph also has a predecessor outside, so it must be the copy.
    const copy = blocks.push(test) - 1;
    const inside = head === 0 ? copy : head;
    const outside = head === 0 ? head : copy;
    for (const from of [...elementAt(shape.flow.forward, head), ...elementAt(shape.flow.back, head)]) {
      const block = elementAt(blocks, from);
      const to = loop.has(from) ? inside : outside;
      blocks[from] = { ...block, end: mapFlowTargets(block.end, (one) => (one === head ? to : one)) };
    }
  }
  return blocks === undefined ? graph : { blocks };
}
