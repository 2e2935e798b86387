import {
  compare,
  constant,
  local,
  readLocals,
  scalarType,
  type Body,
  type Expression,
  type LocalId,
  type Span,
  type Statement,
} from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph, FreshNames } from '../flow/flow-graph.ts';
import { flowDecision, flowTargets } from '../flow/flow-ends.ts';
import { negate } from '../negate.ts';
import type { LookLoop } from './look-loop.ts';
import { dependents } from './polled-loads.ts';

const bool = scalarType('bool');
const u32 = scalarType('u32');

/** The largest depth of branches in a round. Deeper blocks are placed after them. */
const MOST_DEPTH = 24;

/**
 * A block that waits until `loop` would end, and continues at its exit. `span` is that of the wait.
 */
export function waitBlock(graph: FlowGraph, loop: LookLoop, fresh: FreshNames, span: Span): FlowBlock {
  const [exit, ...others] = loop.exits;
  if (exit === undefined) throw new RangeError('A loop without an end is not a wait.');
  const only = loop.blocks.length === 1 ? elementAt(graph.blocks, loop.head) : undefined;
  if (only?.end.kind === 'branch' && others.length === 0) {
    const { condition } = only.end;
    const isTurned = only.end.then === loop.head;
    return {
      body: [{ kind: 'wait', body: only.body, condition: isTurned ? negate(condition) : condition, span }],
      end: { kind: 'jump', to: exit, span },
    };
  }
  const round = new WaitRound(graph, loop, fresh, span);
  const body: Statement[] = [{ kind: 'wait', body: round.body(), condition: local(round.done, bool), span }];
  return { body, end: round.end(exit) };
}

/**
 * One round of a loop, as branches. The branches set `done` if the loop would end, and record the
 * exit.
 */
class WaitRound {
  readonly done: LocalId;
  readonly #exit: LocalId | undefined;
  /**
   * The default exit. It is that of a time limit by the clock, if there is one, so that the clock
   * and not a local decides when the wait times out.
   */
  readonly #late: FlowBlockId | undefined;
  readonly #graph: FlowGraph;
  readonly #loop: LookLoop;
  readonly #span: Span;
  readonly #fresh: FreshNames;
  /** Set if a round reaches a block that is placed after others, and not inside one. */
  readonly #comes = new Map<FlowBlockId, LocalId>();
  readonly #entries = new Map<FlowBlockId, number>();

  constructor(graph: FlowGraph, loop: LookLoop, fresh: FreshNames, span: Span) {
    this.#graph = graph;
    this.#loop = loop;
    this.#fresh = fresh;
    this.#span = span;
    this.done = fresh.local('done', bool, span);
    this.#exit = loop.exits.length > 1 ? fresh.local('way', u32, span) : undefined;
    this.#late = this.#exit === undefined ? undefined : timedExit(graph, loop);
    for (const id of loop.blocks) {
      for (const to of flowTargets(elementAt(graph.blocks, id).end)) {
        this.#entries.set(to, (this.#entries.get(to) ?? 0) + 1);
      }
    }
  }

  body(): Body {
    const list: Statement[] = [];
    for (const id of this.#loop.blocks) {
      if (id === this.#loop.head) this.#block(id, list, 0);
      const comes = this.#comes.get(id);
      if (comes === undefined) continue;
      const inner: Statement[] = [];
      this.#block(id, inner, 1);
      list.push({ kind: 'if', condition: local(comes, bool), then: inner, else: [], span: this.#span });
    }
    // If only the head decides, every path through the round sets it.
    const before = this.#comes.size === 0 ? [] : [this.done, ...this.#comes.values()];
    const flags = before.map((id) => this.#set(id, constant('bool', false)));
    const toExit = this.#late === undefined ? [] : this.#goOnAt(this.#late);
    return [...toExit, ...flags, ...list];
  }

  /** The end of the loop. */
  end(first: FlowBlockId): FlowEnd {
    const span = this.#span;
    if (this.#exit === undefined) return { kind: 'jump', to: first, span };
    return { kind: 'switch', index: local(this.#exit, u32), targets: this.#loop.exits, span };
  }

  #block(id: FlowBlockId, list: Statement[], depth: number): void {
    const { body, end } = elementAt(this.#graph.blocks, id);
    for (const s of body) list.push(s);
    switch (end.kind) {
      case 'jump':
        this.#goTo(end.to, list, depth);
        return;
      case 'branch':
        this.#branch(end.condition, end.then, end.else, list, depth, end.span);
        return;
      case 'switch':
        this.#cases(end.index, [...end.targets.entries()], list, depth, end.span);
        return;
      case 'return':
        throw new RangeError('A block of a loop does not return.');
    }
  }

  #cases(
    index: Expression,
    [first, ...others]: readonly (readonly [number, FlowBlockId])[],
    list: Statement[],
    depth: number,
    span: Span,
  ): void {
    if (first === undefined) throw new RangeError('A switch has no target.');
    const [number, to] = first;
    if (others.length === 0) {
      this.#goTo(to, list, depth);
      return;
    }
    const [then, otherwise]: [Statement[], Statement[]] = [[], []];
    this.#goTo(to, then, depth + 1);
    this.#cases(index, others, otherwise, depth + 1, span);
    list.push({ kind: 'if', condition: compare('eq', index, constant('u32', number)), then, else: otherwise, span });
  }

  #branch(
    condition: Expression,
    to: FlowBlockId,
    otherwise: FlowBlockId,
    list: Statement[],
    depth: number,
    span: Span,
  ): void {
    const ends = [to, otherwise].map((one) => !this.#loop.has(one));
    const isOver = [to, otherwise].map((one) => ends.includes(true) && one === this.#loop.head);
    const end = ends[0] === true ? to : otherwise;
    const isSet = this.#exit === undefined || end === this.#late;
    if (isSet && ends[0] !== ends[1] && (isOver[0] === true || isOver[1] === true)) {
      list.push(this.#set(this.done, ends[0] === true ? condition : negate(condition)));
      return;
    }
    // The side on which the wait ends comes first, because its condition is the awaited one.
    const isTurned = ends[1] === true && ends[0] !== true;
    const [first, second] = isTurned ? [otherwise, to] : [to, otherwise];
    const [then, rest]: [Statement[], Statement[]] = [[], []];
    this.#goTo(first, then, depth + 1);
    this.#goTo(second, rest, depth + 1);
    list.push({ kind: 'if', condition: isTurned ? negate(condition) : condition, then, else: rest, span });
  }

  #goTo(to: FlowBlockId, list: Statement[], depth: number): void {
    if (to === this.#loop.head) {
      list.push(this.#set(this.done, constant('bool', false)));
    } else if (!this.#loop.has(to)) {
      if (to !== this.#late) list.push(...this.#goOnAt(to));
      list.push(this.#set(this.done, constant('bool', true)));
    } else if (this.#entries.get(to) === 1 && depth < MOST_DEPTH) {
      this.#block(to, list, depth);
    } else {
      let comes = this.#comes.get(to);
      if (comes === undefined) {
        comes = this.#fresh.local('comes', bool, this.#span);
        this.#comes.set(to, comes);
      }
      list.push(this.#set(comes, constant('bool', true)));
    }
  }

  #goOnAt(exit: FlowBlockId): readonly Statement[] {
    return this.#exit === undefined ? [] : [this.#set(this.#exit, constant('u32', this.#loop.exits.indexOf(exit)))];
  }

  #set(id: LocalId, value: Expression): Statement {
    return { kind: 'assign', local: id, value, span: this.#span };
  }
}

/** The exit of `loop` when the clock ends it. */
function timedExit(graph: FlowGraph, loop: LookLoop): FlowBlockId | undefined {
  const times = dependents(
    loop.blocks.map((id) => elementAt(graph.blocks, id).body),
    (s) => s.kind === 'clock',
  );
  for (const id of loop.blocks) {
    const { end } = elementAt(graph.blocks, id);
    const decision = flowDecision(end);
    if (decision === undefined || ![...readLocals(decision)].some((read) => times.has(read))) continue;
    const exit = flowTargets(end).find((to) => !loop.has(to));
    if (exit !== undefined) return exit;
  }
  return undefined;
}
