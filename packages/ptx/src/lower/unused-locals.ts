import { local, mapBody, type Body, type Local, type LocalId } from '@nccl-ts/ir';

/**
 * Returns a body and its locals, without the unused ones. If nothing reads the old value that an
 * atomic returns, the atomic does not return it: `atom.add` is then the same as `red.add`.
 */
export function dropUnusedLocals(
  body: Body,
  locals: readonly Local[],
): { readonly body: Body; readonly locals: readonly Local[] } {
  const used = new Set<LocalId>();
  const reduced = withoutOldValues(body);
  mapBody(reduced, {
    target: (id) => {
      used.add(id);
      return id;
    },
    expression: (expression) => {
      if (expression.kind === 'local') used.add(expression.local);
      return expression;
    },
  });
  const kept: Local[] = [];
  const numbers = new Map<LocalId, LocalId>();
  locals.forEach((declared, id) => {
    if (used.has(id)) numbers.set(id, kept.push(declared) - 1);
  });
  const renamed = (id: LocalId): LocalId => numbers.get(id) ?? id;
  return {
    locals: kept,
    body: mapBody(reduced, {
      target: renamed,
      expression: (expression) =>
        expression.kind === 'local' ? local(renamed(expression.local), expression.type, expression.span) : expression,
    }),
  };
}

function withoutOldValues(body: Body): Body {
  const read = new Set<LocalId>();
  mapBody(body, {
    expression: (expression) => {
      if (expression.kind === 'local') read.add(expression.local);
      return expression;
    },
  });
  return mapBody(body, {
    statement: (s) => {
      if (s.kind !== 'atomic' || s.local === undefined || read.has(s.local)) return s;
      const { local: _, ...reduction } = s;
      return reduction;
    },
  });
}
