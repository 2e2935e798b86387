import type { Literal, TemplateElement, TemplateLiteral } from 'acorn';
import { numberValue, stringValue, templateValue } from './literal-value.ts';
import type { TokenCursor } from './token-cursor.ts';

/** Parses a number or a string. */
export function parseLiteral(p: TokenCursor): Literal {
  const { kind, start, end, text: raw } = p.take();
  if (kind === 'string') return { type: 'Literal', start, end, value: stringValue(raw.slice(1, -1)), raw };
  if (!raw.endsWith('n')) return { type: 'Literal', start, end, value: numberValue(raw), raw };
  const value = BigInt(raw.slice(0, -1).replaceAll('_', ''));
  return { type: 'Literal', start, end, value, raw, bigint: String(value) };
}

/** Parses a word that is a value. */
export function parseConstant(p: TokenCursor, value: boolean | null): Literal {
  const { start, end, text: raw } = p.take();
  return { type: 'Literal', start, end, value, raw };
}

export function parseRegex(p: TokenCursor): Literal {
  const { start, end, pattern, flags } = p.regex();
  const value = regexOf(pattern, flags);
  return { type: 'Literal', start, end, value, raw: `/${pattern}/${flags}`, regex: { pattern, flags } };
}

/** `null` if this machine does not know the form. */
function regexOf(pattern: string, flags: string): RegExp | null {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return null;
  }
}

export function parseTemplate(p: TokenCursor): TemplateLiteral {
  const { start } = p.token;
  const expressions: TemplateLiteral['expressions'] = [];
  const quasis: TemplateElement[] = [];
  for (;;) {
    const chunk = p.templateChunk();
    const raw = chunk.text.replaceAll(/\r\n?/g, '\n');
    const { start: first, end, isLast: tail } = chunk;
    quasis.push({ type: 'TemplateElement', start: first, end, value: { raw, cooked: templateValue(raw) }, tail });
    if (tail) break;
    expressions.push(p.grammar.expression(p));
    if (!p.is('}')) p.fail();
  }
  return { type: 'TemplateLiteral', start, end: p.lastEnd, expressions, quasis };
}
