import type { CallExpression, Expression, MemberExpression, PrivateIdentifier, Super } from 'acorn';
import { parseList } from './parse-element.ts';
import { parseTemplate } from './parse-literal.ts';
import { parseAnyName, parsePrivateName } from './parse-name.ts';
import type { TokenCursor } from './token-cursor.ts';

/**
 * Parses the members, calls and templates that follow an expression.
 *
 * @param start - where the expression starts, with its parentheses
 * @param isConstructor - the expression follows `new`, and the first call is not its own
 */
export function parseSubscripts(
  p: TokenCursor,
  base: Expression | Super,
  start: number,
  isConstructor = false,
): Expression {
  let isChain = false;
  let node = base;
  for (;;) {
    const optional = !isConstructor && p.takes('?.');
    isChain ||= optional;
    if (p.takes('[')) {
      const property = p.grammar.expression(p);
      p.expect(']');
      node = { type: 'MemberExpression', start, end: p.lastEnd, object: node, property, computed: true, optional };
    } else if (!isConstructor && p.is('(')) {
      const args = parseList(p);
      node = { type: 'CallExpression', start, end: p.lastEnd, callee: node, arguments: args, optional };
    } else if (optional || p.takes('.')) {
      const property = parseMemberName(p);
      node = { type: 'MemberExpression', start, end: p.lastEnd, object: node, property, computed: false, optional };
    } else if (node.type === 'Super') {
      return p.fail();
    } else if (p.is('`')) {
      const quasi = parseTemplate(p);
      node = { type: 'TaggedTemplateExpression', start, end: p.lastEnd, tag: node, quasi };
    } else {
      return isChain ? chain(node, start, p.lastEnd) : node;
    }
  }
}

function chain(expression: Expression, start: number, end: number): Expression {
  return isLink(expression) ? { type: 'ChainExpression', start, end, expression } : expression;
}

function isLink(node: Expression): node is CallExpression | MemberExpression {
  return node.type === 'CallExpression' || node.type === 'MemberExpression';
}

function parseMemberName(p: TokenCursor): Expression | PrivateIdentifier {
  return p.token.kind === 'private' ? parsePrivateName(p) : parseAnyName(p);
}
