import { compare, constant, local, logical, type Body, type Expression, type Span, type Statement } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import type { FlowBlockId, FlowEnd, FlowGraph, FreshNames } from '../flow/flow-graph.ts';
import type { FlowShape } from '../flow/loops.ts';
import { negate } from '../negate.ts';
import { placeBlocks, type BlockPlacement } from './placement.ts';

/** A block at which control may continue, or one of these constants. */
type ContinuationBlock = FlowBlockId;
/** The end of the thread. */
const returns = -1;
/** Unreachable. */
const nowhere = -2;

/** The largest depth of branches. Passes recurse into each level. */
const MOST_DEPTH = 32;

/** The context of a piece of code. */
interface CodeContext {
  /** The target after the end of the piece. */
  readonly follow: ContinuationBlock;
  /** The target of a `break`. */
  readonly breaks: ContinuationBlock;
  /** The number of enclosing `if`s. */
  readonly depth: number;
}

/**
 * Emits a piece, and returns true if control may reach its end. A piece yields the pieces that it
 * needs first.
 */
interface CodeEmission extends Generator<CodeEmission, boolean, boolean> {}

/**
 * Emits structured code for a graph of the given shape (after Ramsey, "Beyond Relooper"). No
 * statement is emitted twice.
 */
export function emitStructure(graph: FlowGraph, shape: FlowShape, fresh: FreshNames): Body {
  const body: Statement[] = [];
  run(new Emitter(graph, shape, fresh).block(0, body, { follow: returns, breaks: nowhere, depth: 0 }));
  return body;
}

/**
 * Runs a piece and those that it needs, with its own stack, because programs may be nested more
 * deeply than calls.
 */
function run(piece: CodeEmission): void {
  const stack = [piece];
  let answer = false;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const step = top.next(answer);
    if (step.done === true) {
      answer = step.value;
      stack.pop();
    } else {
      stack.push(step.value);
    }
  }
}

class Emitter {
  readonly #graph: FlowGraph;
  readonly #shape: FlowShape;
  readonly #fresh: FreshNames;
  readonly #placement: BlockPlacement;
  /** The labels of blocks whose end is followed by a flow block, or leads back to a loop's head. */
  readonly #ahead = new Map<FlowBlockId, number>();
  readonly #back = new Map<FlowBlockId, number>();

  constructor(graph: FlowGraph, shape: FlowShape, fresh: FreshNames) {
    this.#graph = graph;
    this.#shape = shape;
    this.#fresh = fresh;
    this.#placement = placeBlocks(graph, shape);
  }

  /** Emits `id` and everything placed after it. */
  *block(id: FlowBlockId, out: Statement[], around: CodeContext): CodeEmission {
    if (!this.#shape.isHead(id)) return yield this.#withJoins(id, out, around);
    const { span } = elementAt(this.#graph.blocks, id).end;
    const behind = this.#placement.behindLoop(id);
    return yield this.#sequence(behind, out, around, (list, follow) =>
      this.#loop(id, list, { ...around, follow }, span),
    );
  }

  *#loop(id: FlowBlockId, out: Statement[], around: CodeContext, span: Span): CodeEmission {
    let body: Statement[] = [];
    yield this.#withJoins(id, body, { ...around, follow: id, breaks: around.follow });
    const label = this.#back.get(id);
    if (label !== undefined) body = [{ kind: 'block', label, body, span }];
    out.push({ kind: 'loop', body, update: [], span });
    // A `break` continues after it.
    return true;
  }

  #withJoins(id: FlowBlockId, out: Statement[], around: CodeContext): CodeEmission {
    return this.#sequence(this.#placement.joins(id), out, around, (list, follow) =>
      this.#straight(id, list, { ...around, follow }),
    );
  }

  /**
   * Emits `first`, and then `others` one after the other. If anything jumps to one of them, a block
   * surrounds everything before it.
   */
  *#sequence(
    others: readonly FlowBlockId[],
    out: Statement[],
    around: CodeContext,
    first: (list: Statement[], follow: ContinuationBlock) => CodeEmission,
  ): CodeEmission {
    if (others.length === 0) return yield first(out, around.follow);
    let list: Statement[] = [];
    yield first(list, elementAt(others, 0));
    for (const [i, other] of others.entries()) {
      const label = this.#ahead.get(other);
      const { span } = elementAt(this.#graph.blocks, other).end;
      if (label !== undefined) list = [{ kind: 'block', label, body: list, span }];
      const next = others[i + 1];
      if (next === undefined) {
        for (const s of list) out.push(s);
        return yield this.block(other, out, around);
      }
      yield this.block(other, list, { ...around, follow: next });
    }
    return true;
  }

  /** The statements of one block, and how it ends. */
  *#straight(id: FlowBlockId, out: Statement[], around: CodeContext): CodeEmission {
    const { body, end } = elementAt(this.#graph.blocks, id);
    for (const s of body) out.push(s);
    switch (end.kind) {
      case 'return':
        return this.#jump(id, returns, out, around, end.span);
      case 'jump':
        return yield this.#goTo(id, end.to, out, around, end.span);
      case 'branch':
        return yield this.#branch(id, end, out, around);
      case 'switch':
        return yield this.#switch(id, end, out, around);
    }
  }

  *#goTo(from: FlowBlockId, to: FlowBlockId, out: Statement[], around: CodeContext, span: Span): CodeEmission {
    if (this.#isInline(from, to)) return yield this.block(to, out, around);
    return this.#jump(from, to, out, around, span);
  }

  *#branch(
    from: FlowBlockId,
    { condition, then, else: otherwise, span }: Extract<FlowEnd, { readonly kind: 'branch' }>,
    out: Statement[],
    around: CodeContext,
  ): CodeEmission {
    if (then === otherwise) {
      // It is evaluated, because it may fault.
      out.push({ kind: 'if', condition, then: [], else: [], span });
      return yield this.#goTo(from, then, out, around, span);
    }
    // A side that only jumps comes first, and the other one comes after the `if`, not inside it.
    if (!this.#isInline(from, then) || this.#isInline(from, otherwise)) {
      return yield this.#if(from, condition, then, otherwise, out, around, span);
    }
    return yield this.#if(from, negate(condition), otherwise, then, out, around, span);
  }

  *#if(
    from: FlowBlockId,
    condition: Expression,
    then: FlowBlockId,
    otherwise: FlowBlockId,
    out: Statement[],
    around: CodeContext,
    span: Span,
  ): CodeEmission {
    const taken: Statement[] = [];
    const inside = { ...around, depth: around.depth + 1 };
    // At a large depth, a side jumps at its possible end, so the other one need not be inside the
    // `if`.
    const first = around.depth < MOST_DEPTH ? inside : { ...inside, follow: nowhere };
    const falls = yield this.#goTo(from, then, taken, first, span);
    if (!falls) {
      out.push({ kind: 'if', condition, then: taken, else: [], span });
      return yield this.#goTo(from, otherwise, out, around, span);
    }
    const left: Statement[] = [];
    const leftFalls = yield this.#goTo(from, otherwise, left, inside, span);
    if (taken.length > 0) out.push({ kind: 'if', condition, then: taken, else: left, span });
    else if (left.length > 0) out.push({ kind: 'if', condition: negate(condition), then: left, else: [], span });
    return falls || leftFalls;
  }

  *#switch(
    from: FlowBlockId,
    { index, targets, span }: Extract<FlowEnd, { readonly kind: 'switch' }>,
    out: Statement[],
    around: CodeContext,
  ): CodeEmission {
    const numbers = new Map<FlowBlockId, number[]>();
    targets.forEach((target, i) => {
      const known = numbers.get(target);
      if (known === undefined) numbers.set(target, [i]);
      else known.push(i);
    });
    let chosen = index;
    if (index.kind !== 'local' && numbers.size > 2) {
      const id = this.#fresh.local('index', index.type, span);
      out.push({ kind: 'assign', local: id, value: index, span });
      chosen = local(id, index.type);
    }
    // The last case needs no test. Cases that only jump come first, so that the rest need no
    // `else`.
    const rank = (to: FlowBlockId): number => (this.#isInline(from, to) ? 1 : 0);
    const cases = [...numbers].toSorted(([a], [b]) => rank(a) - rank(b));
    return yield this.#cases(from, chosen, cases, 0, out, around, span);
  }

  *#cases(
    from: FlowBlockId,
    index: Expression,
    cases: readonly (readonly [FlowBlockId, readonly number[]])[],
    at: number,
    out: Statement[],
    around: CodeContext,
    span: Span,
  ): CodeEmission {
    const [target, numbers] = elementAt(cases, at);
    if (at + 1 === cases.length) return yield this.#goTo(from, target, out, around, span);
    const then: Statement[] = [];
    const falls = yield this.#goTo(from, target, then, around, span);
    const rest = falls ? [] : out;
    const condition = isOneOf(index, numbers);
    if (!falls) out.push({ kind: 'if', condition, then, else: [], span });
    const restFalls = yield this.#cases(from, index, cases, at + 1, rest, around, span);
    if (!falls) return restFalls;
    if (then.length > 0) out.push({ kind: 'if', condition, then, else: rest, span });
    else if (rest.length > 0) out.push({ kind: 'if', condition: negate(condition), then: rest, else: [], span });
    return true;
  }

  /** True if the code of `to` is placed at the jump from `from`. */
  #isInline(from: FlowBlockId, to: FlowBlockId): boolean {
    return this.#placement.isInline(to) && this.#isAhead(from, to);
  }

  #isAhead(from: FlowBlockId, to: FlowBlockId): boolean {
    const { index } = this.#shape.flow;
    return elementAt(index, to) > elementAt(index, from);
  }

  /** Returns true if control continues at the end of the piece. */
  #jump(from: FlowBlockId, target: ContinuationBlock, out: Statement[], around: CodeContext, span: Span): boolean {
    const to = target >= 0 && this.#placement.isReturn(target) ? returns : target;
    if (to === around.follow) return true;
    if (to === around.breaks) out.push({ kind: 'break', span });
    else if (to === returns) out.push({ kind: 'return', span });
    else out.push({ kind: 'leave', label: this.#labelOf(from, to), span });
    return false;
  }

  #labelOf(from: FlowBlockId, to: FlowBlockId): number {
    const labels = this.#isAhead(from, to) ? this.#ahead : this.#back;
    let label = labels.get(to);
    if (label === undefined) {
      label = this.#fresh.label();
      labels.set(to, label);
    }
    return label;
  }
}

function isOneOf(index: Expression, numbers: readonly number[]): Expression {
  const tests = numbers.map((number): Expression => compare('eq', index, constant('u32', number)));
  const [first, ...others] = tests;
  if (first === undefined) throw new RangeError('A switch has a target without a number.');
  return others.reduce((one, other) => logical('or', one, other), first);
}
