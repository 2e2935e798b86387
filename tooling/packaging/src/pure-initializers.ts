import { parse, type Expression, type Node, type Program, type VariableDeclaration } from 'acorn';

/**
 * Marks the initial values of a module's variables as free of effects: a bundler then leaves out
 * each one that nobody uses. The packages promise this (`sideEffects: false`), but a bundler only
 * believes it of whole modules.
 */
export function pureInitializers(code: string): string {
  const program: Program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  let made = '';
  let end = 0;
  for (const { start, end: after } of program.body.flatMap(valuesOf)) {
    made += `${code.slice(end, start)}/* @__PURE__ */ (() => (${code.slice(start, after)}))()`;
    end = after;
  }
  return made + code.slice(end);
}

function valuesOf(statement: Node): readonly Expression[] {
  const declared = isExport(statement) ? statement.declaration : statement;
  if (declared === null || declared === undefined || !isVariables(declared)) return [];
  return declared.declarations.flatMap(({ id, init }) =>
    init !== null && init !== undefined && id.type === 'Identifier' && mayHaveEffects(init) ? [init] : [],
  );
}

function isExport(node: Node): node is Node & { readonly declaration?: Node | null } {
  return node.type === 'ExportNamedDeclaration';
}

function isVariables(node: Node): node is VariableDeclaration {
  return node.type === 'VariableDeclaration';
}

/** True for what calls or reads something when the module is loaded. Functions do so later. */
function mayHaveEffects(node: Expression): boolean {
  const { type } = node;
  if (type === 'ArrowFunctionExpression' || type === 'FunctionExpression') return false;
  return type !== 'Literal' && type !== 'Identifier' && type !== 'TemplateLiteral';
}
