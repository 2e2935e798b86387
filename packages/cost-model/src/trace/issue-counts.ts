import type { ScalarKind } from '@nccl-ts/core';
import {
  expressionChildren,
  isWide,
  statementExpressions,
  voteLoop,
  type Body,
  type Expression,
  type Span,
  type Statement,
  type Type,
} from '@nccl-ts/ir';

/** Instructions of a division, about: hardware has none of integers. */
const DIVISION = 8;

/** By kind: the instructions of an expression, without its operands. Other kinds take one. */
const instructions: Readonly<Partial<Record<Expression['kind'], number>>> = {
  // Registers, immediates and the bank of constants.
  constant: 0,
  local: 0,
  param: 0,
  array: 0,
  builtin: 0,
  field: 0,
  // A change of type, or of what a register means.
  pointerCast: 0,
  bitcast: 0,
  vector: 0,
  lane: 0,
  // Addresses have 64 bits: an operation takes two instructions.
  pointerOffset: 2,
  addressPointer: 2,
  windowPointer: 4,
  multicastPointer: 4,
  unicastPointer: 4,
  math: 4,
};

/**
 * The instructions that a warp issues between an access of memory or a wait and the one before it,
 * by the span of its statement. It is an estimate from the IR: compilers leave out some, and need
 * others. Those before the first access of a launch are not counted, since launches of a
 * stream overlap so far: nothing before it needs what the previous launch has left.
 */
export function issueCounts(body: Body): ReadonlyMap<Span, number> {
  const counts = new Map<Span, number>();
  new Counter(counts).body(body, undefined);
  return counts;
}

/** The instructions since the last access, or `undefined` before the first one. */
type InstructionCount = number | undefined;

class Counter {
  readonly #counts: Map<Span, number>;

  constructor(counts: Map<Span, number>) {
    this.#counts = counts;
  }

  body(statements: Body, pending: InstructionCount): InstructionCount {
    let after = pending;
    for (const statement of statements) after = this.#statement(statement, after);
    return after;
  }

  #statement(s: Statement, pending: InstructionCount): InstructionCount {
    const own = plus(pending, instructionsOf(s));
    switch (s.kind) {
      case 'load':
      case 'store':
      case 'atomic':
        return this.#ends(s.span, own);
      case 'wait':
        return this.#ends(s.span, plus(own, lookOf(s.body)));
      case 'if':
        return least(this.body(s.then, plus(own, 1)), this.body(s.else, plus(own, 1)));
      case 'loop': {
        const waits = voteLoop(s);
        if (waits !== undefined) return this.#ends(waits.vote.span, plus(own, lookOf(waits.round)));
        const round = (begin: InstructionCount): InstructionCount =>
          this.body(s.update, this.body(s.body, plus(begin, 1)));
        const tail = round(own);
        return least(round(tail === undefined ? own : Math.max(tail, own ?? 0)), own);
      }
      case 'block':
      case 'waitAll':
        return this.body(s.body, own);
      case 'call':
        return s.body === undefined ? own : this.body(s.body, own);
      default:
        return own;
    }
  }

  #ends(span: Span, count: InstructionCount): number {
    this.#counts.set(span, count ?? 0);
    return 0;
  }
}

/** The instructions of one look of a wait: the look that succeeds comes behind the change. */
function lookOf(body: Body): number {
  const count = new Counter(new Map()).body(body, 0);
  if (count === undefined) throw new RangeError('A look that counts from 0 has no instructions.');
  return count;
}

function plus(pending: InstructionCount, more: number): InstructionCount {
  return pending === undefined ? undefined : pending + more;
}

/** Those that are behind the last access in any case. */
function least(a: InstructionCount, b: InstructionCount): InstructionCount {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function instructionsOf(statement: Statement): number {
  const seen = new Set<Expression>();
  const count = (expression: Expression): number => {
    if (seen.has(expression)) return 0;
    seen.add(expression);
    const own = isDivision(expression) ? DIVISION : (instructions[expression.kind] ?? 1);
    return expressionChildren(expression).reduce(
      (sum, child) => sum + count(child),
      own * registersOf(expression.type),
    );
  };
  return statementExpressions(statement).reduce((sum, expression) => sum + count(expression), 0);
}

function isDivision(expression: Expression): boolean {
  if (expression.kind !== 'binary' || (expression.op !== 'div' && expression.op !== 'rem')) return false;
  return expression.right.kind !== 'constant';
}

/** The registers of a value: an instruction computes one of them. Pointers count by their kinds. */
function registersOf(type: Type): number {
  if (type.kind === 'scalar') return registersOfScalar(type.scalar);
  return type.kind === 'vector' ? type.width * registersOfScalar(type.element) : 1;
}

/** Integers of 64 bits take two instructions; floats of 64 bits have instructions of their own. */
function registersOfScalar(kind: ScalarKind): number {
  return isWide(kind) || kind === 'addr' ? 2 : 1;
}
