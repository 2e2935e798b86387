import { stringValue } from './literal-value.ts';

/** A token of JavaScript, except for regular expressions and the texts of templates. */
export interface SyntaxToken {
  readonly kind: 'word' | 'private' | 'number' | 'string' | 'punctuator' | 'end' | 'unknown';
  readonly start: number;
  readonly end: number;
  /** The text as it is written. A word's has no escapes, and that of a private name no `#`. */
  readonly text: string;
  /** True if a line ends between the token and the one before. */
  readonly isAfterNewline: boolean;
}

export interface RegexToken {
  readonly start: number;
  readonly end: number;
  readonly pattern: string;
  readonly flags: string;
}

/** The text of a template between two expressions, without the characters around it. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** True if the template ends here. */
  readonly isLast: boolean;
}

const BLANK = /(?:\s+|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;
const NEWLINE = /[\n\r\u2028\u2029]/;
const ESCAPE = String.raw`\\u(?:[\da-fA-F]{4}|\{[\da-fA-F]+\})`;
const WORD = new RegExp(`(#?)((?:[$_\\p{ID_Start}]|${ESCAPE})(?:[$\\u200c\\u200d\\p{ID_Continue}]|${ESCAPE})*)`, 'uy');
const NUMBER =
  /0[xX][\da-fA-F_]+n?|0[oO][0-7_]+n?|0[bB][01_]+n?|\d[\d_]*n|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?/y;
const STRING = /'(?:[^'\\\n\r]|\\(?:\r\n|[^]))*'|"(?:[^"\\\n\r]|\\(?:\r\n|[^]))*"/y;
const PUNCTUATOR =
  />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|[=!<>]=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|[-+*/%&|^]=|<<|>>|\*\*|[-{}()[\];,<>+*/%&|^!~?:=.`]/y;
const REGEX = /\/((?:[^\\/[\n\r\u2028\u2029]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+)\/([\w$]*)/y;
const CHUNK = /((?:[^\\`$]|\\[^]|\$(?!\{))*)(`|\$\{)/y;

/** The first token at or after an offset. */
export function scanToken(text: string, offset: number): SyntaxToken {
  BLANK.lastIndex = offset;
  // It matches everywhere, if only nothing.
  BLANK.test(text);
  const start = BLANK.lastIndex;
  const isAfterNewline = NEWLINE.test(text.slice(offset, start));
  const token = (kind: SyntaxToken['kind'], written: string, meant = written): SyntaxToken => ({
    kind,
    start,
    end: start + written.length,
    text: meant,
    isAfterNewline,
  });
  if (start === text.length) return token('end', '');
  const word = matchAt(WORD, text, start);
  if (word !== undefined) {
    const [written, hash, name = ''] = word;
    return token(hash === '' ? 'word' : 'private', written, name.includes('\\') ? stringValue(name) : name);
  }
  const [number] = matchAt(NUMBER, text, start) ?? [];
  if (number !== undefined) return token('number', number);
  const [string] = matchAt(STRING, text, start) ?? [];
  if (string !== undefined) return token('string', string);
  const [punctuator] = matchAt(PUNCTUATOR, text, start) ?? [];
  return punctuator === undefined ? token('unknown', '') : token('punctuator', punctuator);
}

/** The regular expression at an offset. */
export function regexAt(text: string, start: number): RegexToken | undefined {
  const [whole, pattern = '', flags = ''] = matchAt(REGEX, text, start) ?? [];
  return whole === undefined ? undefined : { start, end: start + whole.length, pattern, flags };
}

/** The text of a template at an offset. */
export function templateChunkAt(text: string, start: number): Chunk | undefined {
  const [, chunk = '', end] = matchAt(CHUNK, text, start) ?? [];
  return end === undefined ? undefined : { start, end: start + chunk.length, text: chunk, isLast: end === '`' };
}

function matchAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text) ?? undefined;
}
