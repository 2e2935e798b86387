/**
 * A token of PTX text. A `word` is a name, an opcode or a number. It contains its dots if it begins
 * with one.
 */
export interface Token {
  readonly kind: 'word' | 'directive' | 'number' | 'string' | 'punctuation' | 'end';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const pattern = new RegExp(
  [
    String.raw`(?:[ \t\r\n\f\v]+|\/\/[^\n]*|\/\*[^]*?\*\/)`,
    String.raw`(\.[\w$%][\w$%:]*)`,
    String.raw`([A-Za-z_$][\w$%]*|%[\w$%]+)`,
    String.raw`(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d\w*)`,
    String.raw`("(?:[^"\\\n]|\\.)*")`,
    String.raw`(<<|>>|==|!=|<=|>=|&&|\|\||::|[{}()[\],;:@!+\-*/%<>=&|^~?])`,
  ].join('|'),
  'y',
);

/** Returns all tokens of a text, and the positions of characters outside of tokens. */
export function lex(text: string): { readonly tokens: readonly Token[]; readonly strays: readonly number[] } {
  const tokens: Token[] = [];
  const strays: number[] = [];
  const scanner = new RegExp(pattern);
  let at = 0;
  while (at < text.length) {
    scanner.lastIndex = at;
    const match = scanner.exec(text);
    if (match === null) {
      if (strays.length < 100) strays.push(at);
      at++;
      continue;
    }
    const [whole, directive, word, number, string, punctuation] = match;
    const end = at + whole.length;
    if (directive !== undefined) tokens.push({ kind: 'directive', text: directive, start: at, end });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, start: at, end });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, start: at, end });
    else if (string !== undefined) tokens.push({ kind: 'string', text: string, start: at, end });
    else if (punctuation !== undefined) tokens.push({ kind: 'punctuation', text: punctuation, start: at, end });
    at = end;
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length });
  return { tokens, strays };
}
