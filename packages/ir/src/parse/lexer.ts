import { NcclError } from '@nccl-ts/core';
import { lineAt } from '../span.ts';

export type TokenKind = 'word' | 'number' | 'string' | 'span' | 'symbol' | 'end';

/** A token of IR text. `at` is its offset. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const space = /(?:\s|\/\/[^\n]*)+/y;
// Longer symbols first: a regular expression takes the first alternative that fits.
const kinds: readonly (readonly [TokenKind, RegExp])[] = [
  ['span', /[@^]\d+:\d+-\d+(?:<\d+:\d+-\d+)*/y],
  ['number', /-?(?:inf|\d+(?:\.\d+)?(?:e[+-]?\d+)?n?)\b/y],
  ['word', /[A-Za-z_]\w*/y],
  // oxlint-disable-next-line no-control-regex -- JSON strings hold no raw control characters.
  ['string', /"(?:[^"\\\u0000-\u001f]|\\.)*"/y],
  ['symbol', /<<|>>|<=|>=|==|!=|&&|\|\||\+>|[()[\]{},:.<>=+\-*/%&|^!~@#$]/y],
];

/**
 * Returns the tokens of `text`, and a last one of kind `end`. Throws `NCCL_INVALID_ARGUMENT` if a
 * part of the text is not a token.
 */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skipSpace(text, at + token.text.length);
  }
  tokens.push({ kind: 'end', text: '', at });
  return tokens;
}

/** The error for something unexpected at offset `at`. */
export function parseError(text: string, at: number, expected: string, found: string): NcclError {
  const { line, column } = lineAt(text, at);
  return new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `Cannot read IR text at line ${line}, column ${column}: expected ${expected}, found ${found}.`,
  );
}

function skipSpace(text: string, at: number): number {
  space.lastIndex = at;
  return space.test(text) ? space.lastIndex : at;
}

function tokenAt(text: string, at: number): Token {
  for (const [kind, pattern] of kinds) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) return { kind, text: found[0], at };
  }
  throw parseError(text, at, 'a word, number, string or symbol', JSON.stringify(text.charAt(at)));
}
