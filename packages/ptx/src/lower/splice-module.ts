import {
  array,
  local,
  mapBody,
  type ArrayId,
  type Body,
  type Expression,
  type LocalExpression,
  type LocalId,
  type Module,
  type Span,
  type Statement,
} from '@nccl-ts/ir';
import { resultCalls } from '../call-map.ts';
import type { ModuleBuilder } from './module-builder.ts';

/** A module's body in another module. */
export interface Spliced {
  readonly body: Body;
  /** The result that the body sets by `callResult` or `callResultAddress`. */
  readonly result: Expression | undefined;
}

/**
 * Copies the body of `module` into the builder's module, with new names and with arguments for its
 * parameters. Its effects have the span `span`.
 */
export function spliceModule(
  builder: ModuleBuilder,
  module: Module,
  args: readonly (Expression | undefined)[],
  span: Span,
): Spliced {
  const locals = module.locals.map(({ name, type }) => builder.local(name, type, span));
  const arrays = module.arrays.map((declared) => builder.arrays.push({ ...declared, span }) - 1);
  const labels = new Map<number, number>();
  const sessions = new Map<number, number>();
  const numbered = (known: Map<number, number>, id: number, fresh: () => number): number => {
    const now = known.get(id) ?? fresh();
    known.set(id, now);
    return now;
  };
  // Locations of the module stay distinct, although the text has only one location for all of them.
  // They show which accesses belong to a session.
  const spans = new Map<Span, Span>();
  const spanOf = (of: Span): Span => {
    const known = spans.get(of) ?? { ...span };
    spans.set(of, known);
    return known;
  };
  let result: LocalExpression | undefined;
  const localOf = (id: LocalId): LocalId => locals[id] ?? id;
  const arrayOf = (id: ArrayId): ArrayId => arrays[id] ?? id;
  const expression = (e: Expression): Expression => {
    if (e.kind === 'local') return local(localOf(e.local), e.type, span);
    if (e.kind === 'param') return args[e.param] ?? e;
    const declared = e.kind === 'array' ? builder.arrays[arrayOf(e.array)] : undefined;
    if (e.kind === 'array' && declared !== undefined) return array(arrayOf(e.array), declared);
    return e.span === undefined ? e : Object.freeze({ ...e, span: spanOf(e.span) });
  };
  const statement = (s: Statement): Statement | Body => {
    const at = spanOf(s.span);
    if (s.kind === 'call' && resultCalls.has(s.name)) {
      const [value] = s.args;
      if (value === undefined) return [];
      result = local(builder.local('result', value.type, span), value.type);
      return { kind: 'assign', local: result.local, value, span: at };
    }
    if (s.kind === 'block' || s.kind === 'leave')
      return { ...s, label: numbered(labels, s.label, () => builder.label()), span: at };
    if (s.kind === 'call' && s.session !== undefined) {
      return { ...s, session: numbered(sessions, s.session, () => builder.session()), span: at };
    }
    return { ...s, span: at };
  };
  const body = mapBody(module.body, { expression, target: localOf, statement });
  return { body, result };
}
