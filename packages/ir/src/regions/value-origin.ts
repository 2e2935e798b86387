import type { Expression, LocalId } from '../expression.ts';
import type { Span } from '../span.ts';
import type { Body, Statement } from '../statement.ts';
import { statementTarget } from '../visit/children.ts';
import { walkBody } from '../visit/walk.ts';

/** The expression that made a pointer for a peer, or computed a value. */
export interface ValueOrigin {
  readonly of: 'pointer' | 'value';
  readonly span: Span;
}

/**
 * Finds the expression in which the access at `span` got its pointer to the copy of a peer, or the
 * requirement at `span` the value that it tests. Returns `undefined` if that is the statement
 * itself, or if there are several.
 */
export function valueOrigin(body: Body, span: Span): ValueOrigin | undefined {
  const statements: Statement[] = [];
  const values = new Map<LocalId, Expression | undefined>();
  walkBody(body, {
    statement: (s) => {
      if (s.span === span) statements.push(s);
      const target = statementTarget(s);
      if (target !== undefined) values.set(target, s.kind === 'assign' && !values.has(target) ? s.value : undefined);
    },
  });
  for (const s of statements) {
    if (s.kind === 'load' || s.kind === 'store' || s.kind === 'atomic') {
      const made = madeBy(s.pointer, values, undefined);
      if (made !== undefined && made !== span) return { of: 'pointer', span: made };
    } else if (s.kind === 'assert' && s.contract === true) {
      const [first] = s.values ?? [];
      const value = first?.kind === 'local' ? values.get(first.local) : undefined;
      if (value?.span !== undefined) return { of: 'value', span: value.span };
    }
  }
  return undefined;
}

/** The span of the call, or else of the expression, that made the pointer. */
function madeBy(
  pointer: Expression,
  values: ReadonlyMap<LocalId, Expression | undefined>,
  call: Span | undefined,
): Span | undefined {
  const { kind } = pointer;
  if (kind === 'windowPointer') return call ?? pointer.span;
  if (kind === 'pointerOffset' || kind === 'pointerCast') return madeBy(pointer.pointer, values, call);
  if (kind === 'intrinsic') return madeBy(pointer.expansion, values, call ?? pointer.span);
  const value = kind === 'local' ? values.get(pointer.local) : undefined;
  return value === undefined ? undefined : madeBy(value, values, call);
}
