import { readLocals, walkBody, walkExpression, type Expression, type Module, type Span } from '@nccl-ts/ir';

const ofThread: ReadonlySet<string> = new Set(['threadIdx.x', 'threadIdx.y', 'threadIdx.z', 'threadLinear', 'laneId']);

/**
 * The conditions of branches that depend on the thread and on constants alone, such as
 * `threadIdx.x === 0`. Threads of a large enough CTA differ in them. Of `threadIdx.x < n` this is
 * not known.
 */
export function threadConditions(module: Module): ReadonlySet<string> {
  const assigned = new Map<number, Expression[]>();
  walkBody(module.body, {
    statement: (statement) => {
      if (statement.kind === 'assign')
        assigned.set(statement.local, [...(assigned.get(statement.local) ?? []), statement.value]);
    },
  });
  const isOfThread = (condition: Expression): boolean => {
    let thread = false;
    let other = false;
    walkExpression(condition, (e) => {
      if (e.kind === 'builtin') {
        if (ofThread.has(e.builtin)) thread = true;
        else other = true;
      } else if (e.kind === 'param' || e.kind === 'field' || e.kind === 'intrinsic') other = true;
    });
    for (const id of readLocals(condition)) {
      const [only, ...more] = assigned.get(id) ?? [];
      if (only === undefined || more.length > 0 || readLocals(only).size > 0 || !isOfThread(only)) other = true;
      else thread = true;
    }
    return thread && !other;
  };
  const found = new Set<string>();
  walkBody(module.body, {
    statement: (statement) => {
      const condition = statement.kind === 'if' ? statement.condition : undefined;
      if (condition !== undefined && isOfThread(condition)) found.add(keyOf(condition.span ?? statement.span));
    },
  });
  return found;
}

export function keyOf({ source, start, end }: Span): string {
  return `${source} ${start} ${end}`;
}
