import type { PtxDiagnostic, PtxDiagnosticCode } from './diagnostic.ts';
import { lex, type Token } from './lexer.ts';

/**
 * Thrown if a part of the text cannot be read. The reader catches it and continues with the next
 * part.
 */
export class Unreadable extends Error {}

/** The most diagnostics that are reported. */
const MOST_DIAGNOSTICS = 100;

/** Reads the tokens of a text one after the other. */
export class TokenReader {
  readonly text: string;
  readonly diagnostics: PtxDiagnostic[] = [];
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.text = text;
    const { tokens, strays } = lex(text);
    this.#tokens = tokens;
    for (const at of strays) {
      this.report('P1001', `PTX has no character ${JSON.stringify(text.charAt(at))}`, at, at + 1);
    }
  }

  peek(ahead = 0): Token {
    const last = this.#tokens.length - 1;
    const token = this.#tokens[Math.min(this.#at + ahead, last)];
    return token ?? { kind: 'end', text: '', start: this.text.length, end: this.text.length };
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  /** The end of the last token. */
  get lastEnd(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0;
  }

  get isAtEnd(): boolean {
    return this.peek().kind === 'end';
  }

  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.text === text && token.kind !== 'string';
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at++;
    return true;
  }

  expect(text: string): Token {
    if (this.is(text)) return this.next();
    return this.missing(JSON.stringify(text));
  }

  word(what: string): string {
    const token = this.peek();
    if (token.kind !== 'word') return this.missing(what);
    this.#at++;
    return token.text;
  }

  /** Reports that the next token should be something else, and stops reading this part. */
  missing(expected: string): never {
    const token = this.peek();
    const shown = token.kind === 'end' ? 'the end of the text' : JSON.stringify(token.text.slice(0, 40));
    return this.fail(`expected ${expected} but found ${shown}`);
  }

  /** Reports an error at the next token, and stops reading this part. */
  fail(message: string, code: PtxDiagnosticCode = 'P1001'): never {
    const token = this.peek();
    this.report(code, message, token.start, Math.max(token.end, token.start));
    throw new Unreadable();
  }

  report(code: PtxDiagnosticCode, message: string, start: number, end: number, help?: string): void {
    if (this.diagnostics.length >= MOST_DIAGNOSTICS) return;
    this.diagnostics.push({
      code,
      severity: 'error',
      message,
      span: { start, end },
      ...(help === undefined ? {} : { help }),
    });
  }

  /** Continues after the next semicolon, or before the brace that closes this part. */
  recover(): void {
    for (let depth = 0; !this.isAtEnd;) {
      if (depth === 0 && this.is('}')) return;
      const { text, kind } = this.next();
      if (kind !== 'punctuation') continue;
      if (text === '{') depth++;
      else if (text === '}') depth--;
      else if (text === ';' && depth === 0) return;
    }
  }

  /** Skips a body in braces, whose opening brace comes next. */
  skipBraces(): void {
    this.next();
    this.skipRest(1);
  }

  /** Skips the rest of a body in which `depth` braces are open, with its closing braces. */
  skipRest(depth: number): void {
    for (let open = depth; open > 0;) {
      const { text, kind } = this.next();
      if (kind === 'end') return;
      if (text === '{' && kind === 'punctuation') open++;
      if (text === '}' && kind === 'punctuation') open--;
    }
  }
}
