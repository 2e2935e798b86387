import type { AssignmentProperty, Expression, Pattern, Property, SpreadElement } from 'acorn';
import type { TokenCursor } from './token-cursor.ts';

/**
 * The pattern that an expression turns out to be, when `=` or `=>` follows it, or in a declaration.
 * Every pattern is written like an expression.
 *
 * @param mayDestructure - false before operators such as `+=`
 */
export function toPattern(p: TokenCursor, node: Expression | SpreadElement, mayDestructure = true): Pattern {
  const { start, end } = node;
  if (node.type === 'Identifier' || node.type === 'MemberExpression') return node;
  if (!mayDestructure) return p.fail('Assigning to rvalue', start);
  switch (node.type) {
    case 'ObjectExpression': {
      const properties = node.properties.map((one) =>
        one.type === 'SpreadElement' ? restOf(p, one) : propertyOf(p, one),
      );
      return { type: 'ObjectPattern', start, end, properties };
    }
    case 'ArrayExpression':
      return {
        type: 'ArrayPattern',
        start,
        end,
        elements: node.elements.map((one) => (one === null ? null : toPattern(p, one))),
      };
    case 'AssignmentExpression':
      if (node.operator !== '=') return p.fail('Assigning to rvalue', start);
      return { type: 'AssignmentPattern', start, end, left: node.left, right: node.right };
    case 'SpreadElement':
      return restOf(p, node);
    default:
      return p.fail('Assigning to rvalue', start);
  }
}

function restOf(p: TokenCursor, { start, end, argument }: SpreadElement): Extract<Pattern, { type: 'RestElement' }> {
  return { type: 'RestElement', start, end, argument: toPattern(p, argument) };
}

function propertyOf(p: TokenCursor, node: Property): AssignmentProperty {
  const { start, end, key, value, kind, method, shorthand, computed } = node;
  if (kind !== 'init' || method) return p.fail("Object pattern can't contain methods", start);
  p.openDefaults.delete(start);
  return { type: 'Property', start, end, method, shorthand, computed, key, value: toPattern(p, value), kind };
}
