import {
  expressionChildren,
  statementBodies,
  statementExpressions,
  statementTarget,
  readLocals,
  type ArrayId,
  type Body,
  type Expression,
  type LocalId,
  type Module,
  type Statement,
} from '@nccl-ts/ir';

interface Setting {
  readonly body: Body;
}

/**
 * Returns the locals that can be declared where they are set: a single statement sets them, and
 * only later statements in the same list, or inside these, read them. Statements in `skip` set
 * their result themselves, and their bodies are not emitted.
 */
export function inlineDeclared(module: Module, skip: (statement: Statement) => boolean): ReadonlySet<LocalId> {
  const set = new Map<LocalId, Setting>();
  const refused = new Set<LocalId>();
  const open: Body[] = [];

  const read = (id: LocalId): void => {
    const setting = set.get(id);
    if (setting === undefined || !open.includes(setting.body)) refused.add(id);
  };

  const visit = (statement: Statement, body: Body): void => {
    for (const expression of statementExpressions(statement)) {
      // The condition of a wait is evaluated after its body, inside it. Loops test before their
      // body.
      if (statement.kind === 'wait' || statement.kind === 'waitAll') continue;
      for (const id of readLocals(expression)) read(id);
    }
    if (statement.kind === 'waitAll') for (const id of readLocals(statement.count)) read(id);
    const skipped = skip(statement);
    for (const inner of skipped ? [] : statementBodies(statement)) {
      open.push(inner);
      for (const item of inner) visit(item, inner);
      if ((statement.kind === 'wait' || statement.kind === 'waitAll') && inner === statement.body) {
        for (const id of readLocals(statement.condition)) read(id);
      }
      open.pop();
    }
    // A statement inside sets it. The call only says where the result is.
    if (statement.kind === 'call' && statement.body !== undefined && !skipped) return;
    const target = statementTarget(statement);
    if (target === undefined) return;
    if (statement.kind === 'waitAll' || set.has(target)) refused.add(target);
    else set.set(target, { body });
  };

  open.push(module.body);
  for (const statement of module.body) visit(statement, module.body);
  return new Set([...set.keys()].filter((id) => !refused.has(id)));
}

/** The locals that statements use, except inside the statements that `skip` selects. */
export interface Touched {
  readonly locals: ReadonlySet<LocalId>;
  readonly arrays: ReadonlySet<ArrayId>;
}

export function touchedBy(module: Module, skip: (statement: Statement) => boolean): Touched {
  const touched = new Set<LocalId>();
  const arrays = new Set<ArrayId>();
  const seen = new Set<Expression>();
  const addArrays = (expression: Expression): void => {
    if (seen.has(expression)) return;
    seen.add(expression);
    if (expression.kind === 'array') arrays.add(expression.array);
    for (const child of expressionChildren(expression)) addArrays(child);
  };
  const visit = (body: Body): void => {
    for (const statement of body) {
      for (const expression of statementExpressions(statement)) {
        for (const id of readLocals(expression)) touched.add(id);
        if (module.arrays.length > 0) addArrays(expression);
      }
      const target = statementTarget(statement);
      if (target !== undefined) touched.add(target);
      if (!skip(statement)) for (const inner of statementBodies(statement)) visit(inner);
    }
  };
  visit(module.body);
  return { locals: touched, arrays };
}
