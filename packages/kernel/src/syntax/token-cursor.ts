import type { BlockStatement, Expression, Statement } from 'acorn';
import { regexAt, scanToken, templateChunkAt, type Chunk, type RegexToken, type SyntaxToken } from './scan-token.ts';

/** The text is not JavaScript. */
export class TextError extends Error {
  /** The offset into the text at which it stops being JavaScript. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The innermost function around a token. */
export interface FunctionContext {
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
}

/**
 * The productions that contain themselves. The parser's files reach them through the cursor, so
 * that no two files import each other.
 *
 * `noIn`: the expression is in the head of a `for`, where `in` is no operator.
 */
export interface Grammar {
  readonly expression: (p: TokenCursor, noIn?: boolean) => Expression;
  /** An expression without a comma. */
  readonly assignment: (p: TokenCursor, noIn?: boolean) => Expression;
  /** An expression without operators. */
  readonly leftHandSide: (p: TokenCursor) => Expression;
  readonly statement: (p: TokenCursor) => Statement;
  readonly block: (p: TokenCursor) => BlockStatement;
}

/** A position between the tokens of a text. All productions of the parser share one. */
export class TokenCursor {
  readonly #text: string;
  readonly grammar: Grammar;
  /** The next token, which nothing has taken. */
  token: SyntaxToken;
  /** The end of the last token that was taken. */
  lastEnd = 0;
  context: FunctionContext = { isAsync: false, isGenerator: false };
  /**
   * The starts of the properties `a = 1` in objects that have not turned out to be patterns. Only
   * patterns may have any.
   */
  readonly openDefaults: Set<number> = new Set();

  constructor(text: string, grammar: Grammar) {
    this.#text = text;
    this.grammar = grammar;
    this.token = this.#scan(0);
  }

  /** Takes the token. */
  take(): SyntaxToken {
    const taken = this.token;
    this.#moveTo(taken.end);
    return taken;
  }

  /** The token after the next one. */
  peek(): SyntaxToken {
    return this.#scan(this.token.end);
  }

  is(punctuator: string): boolean {
    return this.token.kind === 'punctuator' && this.token.text === punctuator;
  }

  isWord(word: string): boolean {
    return this.token.kind === 'word' && this.token.text === word;
  }

  takes(punctuator: string): boolean {
    const is = this.is(punctuator);
    if (is) this.take();
    return is;
  }

  takesWord(word: string): boolean {
    const is = this.isWord(word);
    if (is) this.take();
    return is;
  }

  expect(punctuator: string): void {
    if (!this.takes(punctuator)) this.fail();
  }

  expectWord(word: string): void {
    if (!this.takesWord(word)) this.fail();
  }

  /** Takes the end of a statement, which JavaScript inserts where it is missing. */
  endStatement(): void {
    if (this.takes(';') || this.is('}') || this.token.kind === 'end' || this.token.isAfterNewline) return;
    this.fail();
  }

  /** Takes the regular expression that begins at the next token, a `/`. */
  regex(): RegexToken {
    const regex = regexAt(this.#text, this.token.start);
    if (regex === undefined) return this.fail('Unterminated regular expression');
    this.#moveTo(regex.end);
    return regex;
  }

  /** Takes the next token, which begins or continues a template, and the text that follows it. */
  templateChunk(): Chunk {
    const chunk = templateChunkAt(this.#text, this.token.end);
    if (chunk === undefined) return this.fail('Unterminated template');
    this.#moveTo(chunk.end + (chunk.isLast ? 1 : 2));
    return chunk;
  }

  /** Parses something in the context of a function. */
  within<T>(context: FunctionContext, parse: () => T): T {
    const outer = this.context;
    this.context = context;
    const parsed = parse();
    this.context = outer;
    return parsed;
  }

  fail(message = 'Unexpected token', offset: number = this.token.start): never {
    throw new TextError(message, offset);
  }

  #moveTo(offset: number): void {
    this.lastEnd = offset;
    this.token = this.#scan(offset);
  }

  #scan(offset: number): SyntaxToken {
    const token = scanToken(this.#text, offset);
    return token.kind === 'unknown' ? this.fail('Unexpected character', token.start) : token;
  }
}
