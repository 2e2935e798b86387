import type { Expression, SpreadElement } from 'acorn';
import type { TokenCursor } from './token-cursor.ts';

/** An element of a list in brackets or parentheses. */
export type ListElement = Expression | SpreadElement;

/** Parses an element of a list, which may be spread. */
export function parseElement(p: TokenCursor): ListElement {
  return p.is('...') ? parseSpread(p) : p.grammar.assignment(p);
}

/** Parses an element or a property that is spread, from its dots. */
export function parseSpread(p: TokenCursor): SpreadElement {
  const { start } = p.take();
  const argument = p.grammar.assignment(p);
  return { type: 'SpreadElement', start, end: p.lastEnd, argument };
}

/** Parses a list in parentheses. */
export function parseList(p: TokenCursor): ListElement[] {
  const elements: ListElement[] = [];
  p.expect('(');
  while (!p.is(')')) {
    elements.push(parseElement(p));
    if (!p.takes(',')) break;
  }
  p.expect(')');
  return elements;
}
