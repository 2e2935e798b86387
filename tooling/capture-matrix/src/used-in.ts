import { statementExpressions, walkBody, walkExpression, type Coop, type Module } from '@nccl-ts/ir';

/** The kinds and operations in a module, each as `kind` or `kind.operation`. */
export function usedIn(module: Module): ReadonlySet<string> {
  const used = new Set<string>();
  const coop = (group: Coop): void => void used.add(`coop.${group.kind}`);
  walkBody(module.body, {
    statement: (s) => {
      used.add(`statement.${s.kind}`);
      if (s.kind === 'atomic') used.add(`atomic.${s.op}`);
      if (s.kind === 'collective') used.add(`collective.${s.op}`);
      if (s.kind === 'collective' || s.kind === 'sync' || s.kind === 'waitAll') coop(s.coop);
      if ('access' in s && s.access !== undefined) used.add(`order.${s.access.order}`).add(`scope.${s.access.scope}`);
      for (const e of statementExpressions(s)) {
        walkExpression(e, (inner) => {
          used.add(`expression.${inner.kind}`);
          if (inner.kind === 'unary' || inner.kind === 'binary' || inner.kind === 'compare')
            used.add(`${inner.kind}.${inner.op}`);
          if (inner.kind === 'math') used.add(`math.${inner.function}`);
        });
      }
    },
  });
  return used;
}
