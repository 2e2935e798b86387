import { at as elementAt } from '@nccl-ts/core';
import { readLocals, statementTarget, type Expression, type LocalId, type Statement } from '@nccl-ts/ir';
import type { FlowBlock, FlowBlockId, FlowGraph } from '../flow/flow-graph.ts';
import { inlineConditions } from '../flow/inline-conditions.ts';
import type { FlowShape } from '../flow/loops.ts';
import { negate } from '../negate.ts';
import { innerLoops } from './look-loop.ts';
import { SameCode } from './same-code.ts';

/** The most blocks between the end of a block and the loop's exit. */
const MOST_BLOCKS = 8;

/**
 * Lets a block of a loop whose path to the loop's exit is decided jump there directly. Compilers
 * join paths: `if (late) { print(…); more = true; } if (!more) break; if (late) break;` makes the
 * printing a part of each round, although it always leads out. Afterwards it stands behind the
 * loop, and the loop only reads.
 */
export function threadEnds(given: FlowGraph, shape: FlowShape): FlowGraph {
  const graph = inlineConditions(given);
  let blocks: FlowBlock[] | undefined;
  for (const { head, blocks: members } of innerLoops(shape)) {
    const inside = new Set(members);
    for (const id of members) {
      const { end, body } = elementAt(graph.blocks, id);
      const [from, ...others] = elementAt(shape.flow.forward, id);
      if (id === head || end.kind !== 'jump' || from === undefined || others.length > 0) continue;
      const facts = new EndFacts(elementAt(graph.blocks, from), id);
      facts.follow(body);
      const path = pathOut(graph, end.to, facts, (at) => at !== head && inside.has(at));
      if (path === undefined || inside.has(path.to)) continue;
      blocks ??= [...graph.blocks];
      blocks[id] = { body: [...body, ...path.body], end: { ...end, to: path.to } };
    }
  }
  return blocks === undefined ? given : { blocks };
}

/** Follows decided branches and blocks that only compute, while `mayPass` a block. */
function pathOut(
  graph: FlowGraph,
  first: FlowBlockId,
  facts: EndFacts,
  mayPass: (block: FlowBlockId) => boolean,
): { readonly to: FlowBlockId; readonly body: readonly Statement[] } | undefined {
  const passed: Statement[] = [];
  let to = first;
  for (let count = 0; count < MOST_BLOCKS && mayPass(to); count++) {
    const { body, end } = elementAt(graph.blocks, to);
    if (!body.every((s) => s.kind === 'assign')) return undefined;
    facts.follow(body);
    passed.push(...body);
    if (end.kind === 'jump') {
      to = end.to;
      continue;
    }
    const isThen = end.kind === 'branch' ? facts.valueOf(end.condition) : undefined;
    if (end.kind !== 'branch' || isThen === undefined) return undefined;
    to = isThen ? end.then : end.else;
  }
  return { to, body: passed };
}

/** The bools that are known on a path through a graph. */
class EndFacts {
  /** Conditions, with their values. */
  readonly #known: { readonly condition: Expression; readonly is: boolean }[] = [];
  readonly #values = new Map<LocalId, Expression>();

  /** Begins at the end of a block, whose branch leads to `to`. */
  constructor({ body, end }: FlowBlock, to: FlowBlockId) {
    this.follow(body);
    if (end.kind === 'branch' && end.then !== end.else) this.#learn(end.condition, end.then === to);
  }

  #learn(condition: Expression, is: boolean): void {
    if (condition.kind === 'unary' && condition.op === 'not') return this.#learn(condition.operand, !is);
    // Both parts of a disjunction that is false are false, and both of a conjunction that is true
    // are true.
    if (condition.kind === 'logical' && (condition.op === 'and') === is) {
      this.#learn(condition.left, is);
      this.#learn(condition.right, is);
    }
    this.#known.push({ condition, is });
  }

  /** Takes over the assignments of statements, and forgets what they change. */
  follow(body: readonly Statement[]): void {
    for (const s of body) {
      const target = statementTarget(s);
      if (target === undefined) {
        if (s.kind === 'if') this.#forgetAll();
        continue;
      }
      const isStale = (e: Expression): boolean => readLocals(e).has(target);
      for (const [id, value] of this.#values) if (id === target || isStale(value)) this.#values.delete(id);
      const kept = this.#known.filter(({ condition }) => !isStale(condition));
      this.#known.splice(0, this.#known.length, ...kept);
      if (s.kind === 'assign' && !isStale(s.value)) this.#values.set(target, s.value);
    }
  }

  #forgetAll(): void {
    this.#values.clear();
    this.#known.length = 0;
  }

  /** The value of a bool, if it is known. */
  valueOf(e: Expression): boolean | undefined {
    if (e.kind === 'constant') return typeof e.value === 'boolean' ? e.value : undefined;
    const isSame = (condition: Expression): boolean => new SameCode().expression(e, condition);
    const known = this.#known.find(({ condition }) => isSame(condition));
    if (known !== undefined) return known.is;
    const other = this.#known.find(({ condition }) => isSame(negate(condition)));
    if (other !== undefined) return !other.is;
    const value = e.kind === 'local' ? this.#values.get(e.local) : undefined;
    if (value !== undefined) return this.valueOf(value);
    if (e.kind === 'unary' && e.op === 'not') return not(this.valueOf(e.operand));
    if (e.kind !== 'logical') return undefined;
    const [left, right] = [this.valueOf(e.left), this.valueOf(e.right)];
    const decides = e.op === 'or';
    if (left === decides || right === decides) return decides;
    return left === undefined || right === undefined ? undefined : !decides;
  }
}

function not(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}
