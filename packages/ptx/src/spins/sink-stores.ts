import {
  local,
  readLocals,
  type Expression,
  type LoadStatement,
  type LocalId,
  type Statement,
  type StoreStatement,
} from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import { flowTargets, mapFlowTargets } from '../flow/flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowGraph, FreshNames } from '../flow/flow-graph.ts';
import type { FlowShape } from '../flow/loops.ts';
import { innerLoops, lookLoop, onlyLooks, type LookLoop } from './look-loop.ts';
import { forwarded, isOwn } from './own-memory.ts';

/** A statement of a block of a loop. */
interface Placed<S extends Statement> {
  readonly block: FlowBlockId;
  readonly index: number;
  readonly statement: S;
}

/** The accesses of a loop to the thread's own memory. */
interface OwnAccesses {
  /** In the order in which each round performs them. */
  readonly stores: readonly Placed<StoreStatement>[];
  readonly loads: readonly Placed<LoadStatement>[];
}

/**
 * Moves stores to the thread's own memory behind loops that otherwise only read. An array with an
 * index of the run time is such memory, and a loop that polls into it stores each value that it has
 * read. No thread sees the values of earlier rounds, so the stores of the last round are enough.
 * Loads of what a round has stored take the value from a local.
 *
 * Each store must happen in every round, always at one address, and each load of the thread's
 * memory must read what a store of its round has written.
 */
export function sinkStores(graph: FlowGraph, shape: FlowShape, fresh: FreshNames): FlowGraph {
  let blocks: FlowBlock[] | undefined;
  for (const { head, blocks: members } of innerLoops(shape)) {
    const loop = lookLoop(graph, head, members);
    const own = loop.exits.length === 0 ? undefined : ownAccesses(graph, shape, loop);
    if (own === undefined || own.stores.length === 0) continue;
    const values = own.stores.map(({ statement: { value, span } }): Expression =>
      local(fresh.local('stored', value.type, span), value.type),
    );
    const loaded = own.loads.map((load) => loadedValue(load, own.stores, values, shape));
    if (!loaded.every((value) => value !== undefined)) continue;
    blocks ??= [...graph.blocks];
    for (const [i, { block, index, statement }] of own.stores.entries())
      assign(blocks, block, index, elementAt(values, i), statement.value);
    for (const [i, { block, index, statement }] of own.loads.entries())
      assign(blocks, block, index, statement.local, elementAt(loaded, i));
    storeBehind(blocks, loop, own.stores, values);
  }
  return blocks === undefined ? graph : { blocks };
}

/** Replaces a statement by an assignment. */
function assign(
  blocks: FlowBlock[],
  block: FlowBlockId,
  index: number,
  to: LocalId | Expression,
  value: Expression,
): void {
  const { body, end } = elementAt(blocks, block);
  const target = typeof to === 'number' ? to : to.kind === 'local' ? to.local : undefined;
  if (target === undefined) throw new RangeError('Only a local can be assigned.');
  blocks[block] = {
    body: body.with(index, { kind: 'assign', local: target, value, span: elementAt(body, index).span }),
    end,
  };
}

function storeBehind(
  blocks: FlowBlock[],
  loop: LookLoop,
  stores: readonly Placed<StoreStatement>[],
  values: readonly Expression[],
): void {
  const body = stores.map(({ statement }, i): Statement => ({ ...statement, value: elementAt(values, i) }));
  const { span } = elementAt(stores, 0).statement;
  for (const exit of loop.exits) {
    const behind = blocks.push({ body, end: { kind: 'jump', to: exit, span } }) - 1;
    for (const id of loop.blocks) {
      const { body: inside, end } = elementAt(blocks, id);
      blocks[id] = { body: inside, end: mapFlowTargets(end, (to) => (to === exit ? behind : to)) };
    }
  }
}

/**
 * Returns `undefined` if a loop does more than look and access the thread's memory at fixed places.
 */
function ownAccesses(graph: FlowGraph, shape: FlowShape, loop: LookLoop): OwnAccesses | undefined {
  const stores: Placed<StoreStatement>[] = [];
  const loads: Placed<LoadStatement>[] = [];
  const leaves = loop.blocks.filter((id) =>
    flowTargets(elementAt(graph.blocks, id).end).some((to) => to === loop.head || !loop.has(to)),
  );
  for (const block of loop.blocks) {
    for (const [index, statement] of elementAt(graph.blocks, block).body.entries()) {
      if (statement.kind === 'store') {
        const isInEachRound = leaves.every((leaf) => shape.dominators.dominates(block, leaf));
        if (statement.access !== undefined || !isFixed(statement.pointer, loop) || !isInEachRound) return undefined;
        stores.push({ block, index, statement });
      } else if (statement.kind === 'load' && isOwn(statement.pointer)) {
        if (!isFixed(statement.pointer, loop)) return undefined;
        loads.push({ block, index, statement });
      } else if (!onlyLooks([statement]) || loadsOwn(statement)) return undefined;
    }
  }
  const place = placeIn(shape);
  return { stores: stores.toSorted((a, b) => place(a) - place(b) || a.index - b.index), loads };
}

/** The value that the stores before a load have written; `undefined` if that is not clear. */
function loadedValue(
  load: Placed<LoadStatement>,
  stores: readonly Placed<StoreStatement>[],
  values: readonly Expression[],
  shape: FlowShape,
): Expression | undefined {
  const place = placeIn(shape);
  const last = stores.findLastIndex((store) =>
    store.block === load.block ? store.index < load.index : place(store) < place(load),
  );
  const store = stores[last];
  if (store === undefined || !shape.dominators.dominates(store.block, load.block)) return undefined;
  return forwarded(load.statement, store.statement, elementAt(values, last));
}

function placeIn({ flow }: FlowShape): (at: { readonly block: FlowBlockId }) => number {
  return ({ block }) => elementAt(flow.index, block);
}

/** True if a pointer is into the thread's memory, at one address in all rounds. */
function isFixed(pointer: Expression, loop: LookLoop): boolean {
  return isOwn(pointer) && ![...readLocals(pointer)].some((read) => loop.sets.has(read));
}

function loadsOwn(s: Statement): boolean {
  if (s.kind === 'if') return [...s.then, ...s.else].some(loadsOwn);
  return s.kind === 'load' && isOwn(s.pointer);
}
