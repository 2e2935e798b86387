import { local, mapBody, type Body, type Local, type LocalId } from '@nccl-ts/ir';

/** Returns a body and its locals, without the unused ones. */
export function dropUnusedLocals(
  body: Body,
  locals: readonly Local[],
): { readonly body: Body; readonly locals: readonly Local[] } {
  const used = new Set<LocalId>();
  mapBody(body, {
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
    body: mapBody(body, {
      target: renamed,
      expression: (expression) =>
        expression.kind === 'local' ? local(renamed(expression.local), expression.type, expression.span) : expression,
    }),
  };
}
