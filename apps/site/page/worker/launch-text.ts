import { isNode, parseModule, type SyntaxNode } from './blank-types.ts';

/** The element types of buffers. */
export const elementTypes: readonly string[] = [
  'f32',
  'f64',
  'f16',
  'bf16',
  'u8',
  'u16',
  'u32',
  'u64',
  'i8',
  'i16',
  'i32',
  'i64',
  'ptr',
];

/** The parts of a launch module that the page has fields for. */
export interface LaunchText {
  readonly text: string;
  readonly tree: SyntaxNode;
  /** The object that `harness(...)` is called with. */
  readonly definition: SyntaxNode;
  /** The `setup` function, if it has a block. */
  readonly setup: SyntaxNode | undefined;
  /** The object that `setup` returns. */
  readonly returned: SyntaxNode | undefined;
  /** The list of arguments that `setup` returns, if it is written as a list. */
  readonly args: SyntaxNode | undefined;
  /** The initial values of constants, by name. */
  readonly constants: ReadonlyMap<string, SyntaxNode>;
}

/**
 * Reads a launch module.
 *
 * @throws SyntaxError if the text is not a module.
 * @throws TypeError if it calls no `harness`.
 */
export function readLaunch(text: string): LaunchText {
  const tree = parseModule(text);
  const call = allNodes(tree).find(
    (node) => node.type === 'CallExpression' && nameOf(childOf(node, 'callee')) === 'harness',
  );
  const [definition] = childrenOf(call, 'arguments');
  if (definition?.type !== 'ObjectExpression') {
    throw new TypeError('cannot show fields, because the text does not call harness({ ... }); describe the launch.');
  }
  const setup = propertyOf(definition, 'setup');
  const body = childOf(setup, 'body');
  const statement = childrenOf(body, 'body').find(({ type }) => type === 'ReturnStatement');
  const result = childOf(statement, 'argument');
  const returned = result?.type === 'ObjectExpression' ? result : undefined;
  const given = returned === undefined ? undefined : propertyOf(returned, 'args');
  // Arguments may be a function of the launch.
  const args = given?.type === 'ArrowFunctionExpression' ? childOf(given, 'body') : given;
  const constants = new Map<string, SyntaxNode>();
  for (const one of [...childrenOf(tree, 'body'), ...childrenOf(body, 'body')]) {
    for (const declared of childrenOf(one, 'declarations')) {
      const [name, init] = [nameOf(childOf(declared, 'id')), childOf(declared, 'init')];
      if (name !== undefined && init !== undefined) constants.set(name, init);
    }
  }
  return {
    text,
    tree,
    definition,
    setup: body?.type === 'BlockStatement' ? setup : undefined,
    returned,
    args: args?.type === 'ArrayExpression' ? args : undefined,
    constants,
  };
}

export function childOf(node: SyntaxNode | undefined, key: string): SyntaxNode | undefined {
  const child = node?.[key];
  return isNode(child) ? child : undefined;
}

export function childrenOf(node: SyntaxNode | undefined, key: string): readonly SyntaxNode[] {
  const children = node?.[key];
  return Array.isArray(children) ? children.filter((one: unknown) => isNode(one)) : [];
}

/** The name of an identifier. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  const name = node?.type === 'Identifier' ? node['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** The value of a property of an object that is written out. */
export function propertyOf(object: SyntaxNode, name: string): SyntaxNode | undefined {
  const found = childrenOf(object, 'properties').find((one) => nameOf(childOf(one, 'key')) === name);
  return childOf(found, 'value');
}

/** A node and all nodes below it. */
export function allNodes(node: SyntaxNode): readonly SyntaxNode[] {
  const inner = Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]) as unknown[]);
  return [node, ...inner.flatMap((one) => (isNode(one) ? allNodes(one) : []))];
}

/** The names of the constants that are buffers. */
export function buffersOf({ constants }: LaunchText): readonly string[] {
  return [...constants].flatMap(([name, init]) => {
    const isBuffer = nameOf(childOf(init, 'callee')) === 'alloc' && nameOf(childrenOf(init, 'arguments')[1]) !== 'ptr';
    return isBuffer ? [name] : [];
  });
}
