import type { AnyNode, CallExpression, Expression, Identifier, SpreadElement } from 'acorn';

/** The name of esbuild's helper in output whose names are not minified. */
const PLAIN = /^__name\d*$/;

/** Minifiers shorten the name of the helper. */
const RENAMED = /^[\w$]{1,3}$/;

/**
 * Finds the calls `__name(fn, 'f')` that build tools insert to keep a function's name. Minifiers
 * rename the helper, so its form identifies it: every use of the free name is a call with a
 * function and its name.
 *
 * @param calls - the calls of the text whose callee is a name
 * @param free - the names that the text does not declare
 */
export function keepNamesCallees(
  calls: readonly CallExpression[],
  free: readonly Identifier[],
  isFunction: (name: Identifier) => boolean,
): ReadonlySet<Identifier> {
  const found = new Set<Identifier>();
  for (const { callee, arguments: args } of calls) {
    if (callee.type === 'Identifier' && keepsName(args, isFunction)) found.add(callee);
  }
  const others = new Set(free.filter((name) => !found.has(name)).map(({ name }) => name));
  const isHelper = ({ name }: Identifier): boolean => PLAIN.test(name) || (RENAMED.test(name) && !others.has(name));
  return new Set(free.filter((name) => found.has(name) && isHelper(name)));
}

function keepsName(args: readonly (Expression | SpreadElement)[], isFunction: (name: Identifier) => boolean): boolean {
  const [fn, name, ...more] = args;
  if (fn === undefined || name === undefined || more.length > 0) return false;
  return (fn.type === 'Identifier' ? isFunction(fn) : isFunctionNode(fn)) && isText(name);
}

function isFunctionNode({ type }: AnyNode): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
}

/** Minifiers may write a string as a template. */
function isText(node: AnyNode): boolean {
  return node.type === 'TemplateLiteral'
    ? node.expressions.length === 0
    : node.type === 'Literal' && typeof node.value === 'string';
}
