import { Parser } from 'acorn';
import { tsPlugin } from '@sveltejs/acorn-typescript';

/** A node of the syntax tree. acorn's types do not include TypeScript's nodes. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const parsers = {
  plain: Parser.extend(tsPlugin()),
  jsx: Parser.extend(tsPlugin({ jsx: {} })),
};

/** Parses a module in JavaScript or TypeScript; `undefined` if it has errors of syntax. */
export function parseModule(text: string, file: string): SyntaxNode | undefined {
  const parser = file.endsWith('x') ? parsers.jsx : parsers.plain;
  try {
    const tree: unknown = parser.parse(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      allowHashBang: true,
      allowAwaitOutsideFunction: true,
    });
    return isNode(tree) ? tree : undefined;
  } catch (error) {
    // The linter reports errors of syntax itself.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
  );
}

/** A child of `node`; `undefined` if it has none of this name. */
export function childOf(node: SyntaxNode, name: string): SyntaxNode | undefined {
  const child = node[name];
  return isNode(child) ? child : undefined;
}

/** The nodes in a list of `node`, without the holes of patterns. */
export function listOf(node: SyntaxNode, name: string): readonly SyntaxNode[] {
  const list = node[name];
  return Array.isArray(list) ? list.filter(isNode) : [];
}

export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'loc' ? [] : (Array.isArray(value) ? value : [value]).filter(isNode),
  );
}

/** The name of an identifier, or the text of a string; `undefined` for other nodes. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  const name = node?.type === 'Identifier' ? node['name'] : node?.type === 'Literal' ? node['value'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

export function isFunction(node: SyntaxNode): boolean {
  return /^(?:Arrow)?Function(?:Expression|Declaration)$/.test(node.type);
}

/** The expression within casts and parentheses, which have no effect at run time. */
export function withoutCasts(node: SyntaxNode): SyntaxNode {
  const casts = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'ParenthesizedExpression'];
  const inner = casts.includes(node.type) ? childOf(node, 'expression') : undefined;
  return inner === undefined ? node : withoutCasts(inner);
}
