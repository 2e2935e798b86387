import { at } from '@nccl-ts/core';
import { readLocals, type Expression, type LocalId } from '@nccl-ts/ir';

import type { EmitContext } from './context.ts';
import { emitExpression } from './emit-expression.ts';
import { variables } from './module-text.ts';
import { statementScope, type EmitScope } from './scope.ts';

/** True if code computes `id` again wherever it needs it, instead of storing it for each thread. */
export function isRecomputed(context: EmitContext, id: LocalId): boolean {
  return context.recomputable.has(id) && (context.mode === 'thread' || context.uniformity.varying.has(id));
}

/** Returns all of `ids` that are recomputed, and the operands that they need, operands first. */
export function recomputedOf(context: EmitContext, ids: Iterable<LocalId>): readonly LocalId[] {
  const order = new Set<LocalId>();
  const visit = (id: LocalId): void => {
    const value = context.recomputable.get(id);
    if (value === undefined || order.has(id) || !isRecomputed(context, id)) return;
    for (const read of readLocals(value)) visit(read);
    order.add(id);
  };
  for (const id of ids) visit(id);
  return [...order];
}

/**
 * Returns the locals that all threads have in common, that a piece of code sets, and of which its
 * recomputed locals are functions, operands first. The recomputed ones are computed before the
 * piece runs, so these must have their values by then.
 */
export function settledOf(
  context: EmitContext,
  mentioned: Iterable<LocalId>,
  assigned: ReadonlySet<LocalId>,
): readonly LocalId[] {
  const order = new Set<LocalId>();
  const visit = (id: LocalId): void => {
    const value = context.recomputable.get(id);
    if (value === undefined || order.has(id) || isRecomputed(context, id) || !assigned.has(id)) return;
    for (const read of readLocals(value)) visit(read);
    order.add(id);
  };
  for (const id of recomputedOf(context, mentioned)) {
    const value = context.recomputable.get(id);
    if (value !== undefined) for (const read of readLocals(value)) visit(read);
  }
  return [...order];
}

/** Returns `ids`, and the operands of those among them that are recomputed. */
export function withOperands(context: EmitContext, ids: Iterable<LocalId>): ReadonlySet<LocalId> {
  const all = new Set<LocalId>(ids);
  for (const id of recomputedOf(context, all)) {
    const value: Expression | undefined = context.recomputable.get(id);
    if (value !== undefined) for (const read of readLocals(value)) all.add(read);
  }
  return all;
}

/** Emits the computation of the recomputed locals among `ids`, into variables. */
export function emitRecomputed(ids: Iterable<LocalId>, scope: EmitScope): void {
  for (const id of recomputedOf(scope.context, ids)) {
    const value = scope.context.recomputable.get(id);
    if (value === undefined || scope.context.launchLocals.has(id)) continue;
    const texts = emitExpression(value, { ...statementScope(scope, [value]), code: scope.code });
    const names = variables(scope.context, id);
    names.forEach((name, i) => scope.code.push(`const ${name} = ${at(texts, i)};`));
    scope.track?.assign(id, value);
  }
}
