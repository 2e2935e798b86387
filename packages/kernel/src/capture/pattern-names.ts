import type { AnyNode, Identifier } from 'acorn';

/** The names that a pattern sets. A property that it sets, as in `[a.b] = c`, is no name. */
export function patternNames(pattern: AnyNode): readonly Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => patternNames(one.type === 'RestElement' ? one : one.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : patternNames(element)));
    case 'RestElement':
      return patternNames(pattern.argument);
    case 'AssignmentPattern':
      return patternNames(pattern.left);
    default:
      return [];
  }
}
