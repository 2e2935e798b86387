import type { Identifier, PrivateIdentifier } from 'acorn';
import type { TokenCursor } from './token-cursor.ts';

/** The words that no name may be. */
const RESERVED = new Set([
  'break',
  'case',
  'catch',
  'class',
  'const',
  'continue',
  'debugger',
  'default',
  'delete',
  'do',
  'else',
  'enum',
  'export',
  'extends',
  'false',
  'finally',
  'for',
  'function',
  'if',
  'import',
  'in',
  'instanceof',
  'new',
  'null',
  'return',
  'super',
  'switch',
  'this',
  'throw',
  'true',
  'try',
  'typeof',
  'var',
  'void',
  'while',
  'with',
]);

/** Parses a name that is declared or referred to. */
export function parseName(p: TokenCursor): Identifier {
  const { kind, text, start } = p.token;
  if (kind === 'word' && RESERVED.has(text)) return p.fail(`Unexpected keyword '${text}'`, start);
  return parseAnyName(p);
}

/** Parses the name of a member, which may be any word. */
export function parseAnyName(p: TokenCursor): Identifier {
  if (p.token.kind !== 'word') return p.fail();
  const { start, end, text: name } = p.take();
  return { type: 'Identifier', start, end, name };
}

/** Parses a name with a `#`, which the next token is. */
export function parsePrivateName(p: TokenCursor): PrivateIdentifier {
  const { start, end, text: name } = p.take();
  return { type: 'PrivateIdentifier', start, end, name };
}
