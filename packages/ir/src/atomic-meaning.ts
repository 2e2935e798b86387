import type { BinaryOp } from './expression.ts';
import type { AtomicOp } from './statement.ts';

/** How an atomic operation computes the new value from the old value and the operand. */
export type AtomicMeaning =
  /** The new value is the result of a binary operation. */
  | { readonly kind: 'binary'; readonly op: BinaryOp }
  /** The operand is the new value. */
  | { readonly kind: 'replace' }
  /**
   * The operand is the new value if the old value is the expected one. Otherwise nothing is
   * written.
   */
  | { readonly kind: 'compare' };

const binary = <Op extends BinaryOp>(op: Op): { readonly kind: 'binary'; readonly op: Op } =>
  Object.freeze({ kind: 'binary', op });

/** The meaning of each atomic operation. */
export const atomicMeaning: Readonly<Record<AtomicOp, AtomicMeaning>> = /* @__PURE__ */ Object.freeze({
  add: binary('add'),
  sub: binary('sub'),
  min: binary('min'),
  max: binary('max'),
  and: binary('and'),
  or: binary('or'),
  xor: binary('xor'),
  exch: Object.freeze({ kind: 'replace' }),
  cas: Object.freeze({ kind: 'compare' }),
});
