import { scalarType, type AtomicAccess, type AtomicOp, type Expression } from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';
import { equal, set, variable, when, type Variable } from './build.ts';

/** The effect of an atomic update on the previous value. */
export type Update =
  | { readonly kind: 'operation'; readonly op: Exclude<AtomicOp, 'cas'>; readonly value: Expression }
  | { readonly kind: 'cas'; readonly expected: Expression; readonly value: Expression }
  /**
   * A function without an operation in the IR. `next` computes the new value from the previous one.
   */
  | { readonly kind: 'function'; readonly next: (seen: Expression) => Expression };

/**
 * Emits an update of the element that `pointer` points to. `before`, if given, receives the
 * previous value.
 */
export function emitUpdate(
  lowering: Lowering,
  pointer: Expression,
  update: Update,
  access: AtomicAccess,
  before?: Variable,
): void {
  if (update.kind === 'function') {
    emitFunction(lowering, pointer, update.next, access, before);
    return;
  }
  lowering.emit({
    kind: 'atomic',
    op: update.kind === 'cas' ? 'cas' : update.op,
    ...(before === undefined ? {} : { local: before.id }),
    pointer,
    value: update.value,
    ...(update.kind === 'cas' ? { expected: update.expected } : {}),
    access,
    span: lowering.span,
  });
}

/** Emits a compare-and-swap that repeats until no other thread has changed the value. */
function emitFunction(
  lowering: Lowering,
  pointer: Expression,
  next: (seen: Expression) => Expression,
  access: AtomicAccess,
  before: Variable | undefined,
): void {
  const { span } = lowering;
  const type = pointer.type.kind === 'pointer' ? pointer.type.element : scalarType('u32');
  const seen = variable(lowering, 'seen', type);
  const found = variable(lowering, 'found', type);
  lowering.emit({ kind: 'load', local: seen.id, pointer, access: { order: 'relaxed', scope: access.scope }, span });
  lowering.emit({
    kind: 'loop',
    body: [
      {
        kind: 'atomic',
        op: 'cas',
        local: found.id,
        pointer,
        value: next(seen.value),
        expected: seen.value,
        access,
        span,
      },
      when(lowering, equal(found.value, seen.value), [{ kind: 'break', span }]),
      set(lowering, seen, found.value),
    ],
    update: [],
    span,
  });
  if (before !== undefined) lowering.emit(set(lowering, before, seen.value));
}
