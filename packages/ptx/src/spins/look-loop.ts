import { assignedLocals, type Body, type LocalId, type Statement } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import { flowTargets } from '../flow/flow-ends.ts';
import type { FlowBlockId, FlowGraph } from '../flow/flow-graph.ts';
import type { FlowShape } from '../flow/loops.ts';

/** A loop without inner loops. Its rounds only load, read the clock, compute and branch. */
export interface LookLoop {
  readonly head: FlowBlockId;
  /** Its blocks, with the head first. Only jumps to the head lead to an earlier one. */
  readonly blocks: readonly FlowBlockId[];
  readonly has: (block: FlowBlockId) => boolean;
  /** The blocks after the loop, each once. */
  readonly exits: readonly FlowBlockId[];
  /** The locals that its rounds set. */
  readonly sets: ReadonlySet<LocalId>;
}

/** The longest round that counts as polling. */
const MOST_BLOCKS = 256;

/** The loops without inner loops that are short enough for polling, with their blocks. */
export function innerLoops(
  shape: FlowShape,
): readonly { readonly head: FlowBlockId; readonly blocks: readonly FlowBlockId[] }[] {
  const members = new Map<FlowBlockId, FlowBlockId[]>();
  const isOuter = new Set<FlowBlockId>();
  for (const block of shape.flow.order) {
    const loop = shape.loopOf(block);
    if (loop === -1) continue;
    const known = members.get(loop);
    if (known === undefined) members.set(loop, [block]);
    else known.push(block);
    if (loop === block) isOuter.add(elementAt(shape.around, block));
  }
  return [...members].flatMap(([head, blocks]) =>
    isOuter.has(head) || blocks.length > MOST_BLOCKS ? [] : [{ head, blocks }],
  );
}

/** Finds the loops of `graph` that only read. */
export function findLookLoops(graph: FlowGraph, shape: FlowShape): readonly LookLoop[] {
  return innerLoops(shape).flatMap(({ head, blocks }) =>
    blocks.every((id) => onlyLooks(elementAt(graph.blocks, id).body)) ? [lookLoop(graph, head, blocks)] : [],
  );
}

export function lookLoop(graph: FlowGraph, head: FlowBlockId, blocks: readonly FlowBlockId[]): LookLoop {
  const inside = new Set(blocks);
  const exits = new Set<FlowBlockId>();
  const sets = new Set<LocalId>();
  for (const id of blocks) {
    const { body, end } = elementAt(graph.blocks, id);
    for (const to of flowTargets(end)) if (!inside.has(to)) exits.add(to);
    for (const local of assignedLocals(body)) sets.add(local);
  }
  return { head, blocks, has: (block) => inside.has(block), exits: [...exits], sets };
}

/** True if statements only load, read the clock, and compute. */
export function onlyLooks(body: Body): boolean {
  return body.every((s: Statement) => {
    if (s.kind === 'if') return onlyLooks(s.then) && onlyLooks(s.else);
    return s.kind === 'load' || s.kind === 'clock' || s.kind === 'assign';
  });
}
