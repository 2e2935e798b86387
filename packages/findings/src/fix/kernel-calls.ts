import {
  parse,
  type AnyNode,
  type ArrowFunctionExpression,
  type CallExpression,
  type FunctionExpression,
  type ObjectExpression,
  type Statement,
} from 'acorn';

/** A `kernel(definition, body)` in the text of a module. */
export interface KernelCall {
  readonly call: CallExpression;
  readonly definition: ObjectExpression | undefined;
  readonly body: ArrowFunctionExpression | FunctionExpression;
}

/** The kernels that a module defines by the name `kernel`. Empty if the text cannot be parsed. */
export function kernelCalls(text: string): readonly KernelCall[] {
  let tree: AnyNode;
  try {
    tree = parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch {
    return [];
  }
  return descendants(tree).flatMap((node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'kernel') return [];
    const [definition, body] = node.arguments;
    if (body?.type !== 'ArrowFunctionExpression' && body?.type !== 'FunctionExpression') return [];
    return [{ call: node, definition: definition?.type === 'ObjectExpression' ? definition : undefined, body }];
  });
}

/** A list of statements on the way to an offset, and the statement that leads on. */
export interface Level {
  readonly list: readonly Statement[];
  readonly index: number;
  /** True for the body of a loop. */
  readonly isLoop: boolean;
}

/** A position between two statements of a list. */
export interface Gap {
  /** The lists around the position, from the body of the kernel inwards. */
  readonly levels: readonly Level[];
  /** The number of statements of the innermost list that stand before it. */
  readonly index: number;
}

/** The lists of statements that contain an offset, from the body of the kernel inwards. */
export function levelsAt({ body }: KernelCall, offset: number): readonly Level[] {
  const levels: Level[] = [];
  let next: { readonly list: readonly Statement[]; readonly isLoop: boolean } | undefined =
    body.body.type === 'BlockStatement' ? { list: body.body.body, isLoop: false } : undefined;
  while (next !== undefined) {
    const { list, isLoop } = next;
    const index = list.findIndex((statement) => contains(statement, offset));
    const found = list[index];
    if (found === undefined) break;
    levels.push({ list, index, isLoop });
    next = innerList(found, offset);
  }
  return levels;
}

function innerList(
  statement: Statement,
  offset: number,
): { readonly list: readonly Statement[]; readonly isLoop: boolean } | undefined {
  const inner = bodiesOf(statement).find((one) => contains(one, offset));
  if (inner === undefined) return undefined;
  if (inner.type !== 'BlockStatement') return innerList(inner, offset);
  return { list: inner.body, isLoop: isLoopStatement(statement) };
}

function bodiesOf(statement: Statement): readonly Statement[] {
  switch (statement.type) {
    case 'BlockStatement':
      return [statement];
    case 'IfStatement':
      return [statement.consequent, ...(statement.alternate ? [statement.alternate] : [])];
    case 'ForStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'LabeledStatement':
      return [statement.body];
    default:
      return [];
  }
}

function isLoopStatement({ type }: Statement): boolean {
  return (
    type === 'ForStatement' || type === 'ForOfStatement' || type === 'WhileStatement' || type === 'DoWhileStatement'
  );
}

export function contains({ start, end }: { readonly start: number; readonly end: number }, offset: number): boolean {
  return start <= offset && offset < end;
}

/** A node and all nodes below it, in the order of the text. */
export function descendants(root: AnyNode): readonly AnyNode[] {
  const found: AnyNode[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || value instanceof RegExp) continue;
    if (isNode(value)) found.push(value);
    const inner: readonly unknown[] = Object.values(value);
    open.push(...inner.toReversed());
  }
  return found;
}

function isNode(value: object): value is AnyNode {
  return 'type' in value && typeof value.type === 'string' && 'start' in value && 'end' in value;
}
