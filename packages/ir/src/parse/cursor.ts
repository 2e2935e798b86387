import type { NcclError } from '@nccl-ts/core';
import { isKey } from '../print/symbols.ts';
import { parseError, tokenize, type Token, type TokenKind } from './lexer.ts';

/**
 * A position in a list of tokens. Every `take` advances or throws `NCCL_INVALID_ARGUMENT` with line
 * and column.
 */
export class Cursor {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  /**
   * Returns the token `ahead` positions further on, or the one of kind `end` if there are no more.
   */
  peek(ahead = 0): Token {
    const token = this.#tokens[this.#next + ahead] ?? this.#tokens.at(-1);
    return token ?? { kind: 'end', text: '', at: this.#text.length };
  }

  /** True if the next token is the symbol or word `text`. */
  sees(text: string): boolean {
    const token = this.peek();
    return token.text === text && (token.kind === 'symbol' || token.kind === 'word');
  }

  /** Advances past the symbol or word `text` if it comes next. */
  accept(text: string): boolean {
    if (!this.sees(text)) return false;
    this.#next++;
    return true;
  }

  /** Advances past the symbol or word `text`. */
  take(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`"${text}"`);
  }

  /** Advances past a token of `kind` and returns its text. */
  takeKind(kind: TokenKind, expected: string): string {
    const token = this.peek();
    if (token.kind !== kind) throw this.unexpected(expected);
    this.#next++;
    return token.text;
  }

  /** Advances past a word that is a key of `table`. */
  takeKey<K extends string>(table: Readonly<Record<K, unknown>>, expected: string): K {
    const { kind, text } = this.peek();
    if (kind !== 'word' || !isKey(table, text)) throw this.unexpected(expected);
    this.#next++;
    return text;
  }

  /** Advances past a whole number of 0 or more. */
  takeCount(expected: string): number {
    const { kind, text } = this.peek();
    if (kind !== 'number' || !/^\d+$/.test(text)) throw this.unexpected(expected);
    this.#next++;
    return Number(text);
  }

  /** The error for the next token if it is not `expected`. */
  unexpected(expected: string): NcclError {
    const { kind, text, at } = this.peek();
    return parseError(this.#text, at, expected, kind === 'end' ? 'the end of the text' : `"${text}"`);
  }
}
