import type { AnyNode } from 'acorn';

/** The nodes directly in `node`, in the order in which acorn lists them. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
