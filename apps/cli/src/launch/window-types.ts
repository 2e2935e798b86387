import type { ScalarKind } from '@nccl-ts/core';
import { elementScalar, walkBody, type Expression, type Module } from '@nccl-ts/ir';

/**
 * Returns the types with which a kernel accesses its window parameters, by name. A window has an
 * entry only if there is exactly one type, and the kernel does not pass the window on.
 */
export function windowTypes(module: Module): ReadonlyMap<string, ScalarKind> {
  const seen = new Map<string, Set<ScalarKind>>();
  const others = new Set<ScalarKind>();
  const visit = (expression: Expression): void => {
    if (expression.type.kind !== 'pointer') return;
    const element = elementScalar(expression.type.element);
    // The origin of that pointer would have to be traced.
    if (expression.kind === 'pointerCast') others.add(element);
    const windows =
      expression.kind === 'windowPointer'
        ? [expression.window]
        : expression.kind === 'intrinsic'
          ? expression.args
          : [];
    for (const window of windows) {
      if (window.kind !== 'param' || window.type.kind !== 'handle' || window.type.name !== 'Window') continue;
      const name = module.params[window.param]?.name;
      if (name !== undefined) seen.set(name, (seen.get(name) ?? new Set()).add(element));
    }
  };
  walkBody(module.body, { expression: visit });
  return new Map(
    [...seen].flatMap(([name, types]) => {
      const [only, ...more] = new Set([...types, ...others]);
      return only === undefined || more.length > 0 ? [] : [[name, only] as const];
    }),
  );
}
