import { binary, compare, constant, local, scalarType } from '@nccl-ts/ir';
import type { Expression, LocalId, Span, Statement } from '@nccl-ts/ir';
import type { FreshNames } from '../flow/flow-graph.ts';

const u64 = scalarType('u64');

/**
 * The time limit, in cycles, of a loop that counted its rounds. It is longer than any other
 * activity.
 */
const CYCLES = 1n << 40n;

/** A clock that replaces a count of rounds. Its locals are created when they are first needed. */
export class RoundTimer {
  readonly #fresh: FreshNames;
  #locals: { readonly start: LocalId; readonly now: LocalId } | undefined;

  constructor(fresh: FreshNames) {
    this.#fresh = fresh;
  }

  get isUsed(): boolean {
    return this.#locals !== undefined;
  }

  /** The statement before the loop. */
  start(span: Span): Statement {
    return { kind: 'clock', local: this.#made(span).start, span };
  }

  /** The statement before the test. */
  look(span: Span): Statement {
    return { kind: 'clock', local: this.#made(span).now, span };
  }

  /** The condition that is true after the time limit. */
  isLate(span: Span): Expression {
    const { start, now } = this.#made(span);
    return compare('gt', binary('sub', local(now, u64), local(start, u64)), constant('u64', CYCLES), span);
  }

  #made(span: Span): { readonly start: LocalId; readonly now: LocalId } {
    this.#locals ??= { start: this.#fresh.local('start', u64, span), now: this.#fresh.local('now', u64, span) };
    return this.#locals;
  }
}
