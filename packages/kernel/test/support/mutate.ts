/** A small, fast, seeded source of numbers (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 to `below` - 1. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  }

  pick<T>(from: readonly T[]): T {
    const item = from[this.below(from.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

const token =
  /\s+|\/\/[^\n]*|[A-Za-z_$][\w$]*|(?:0x[\da-f]+|\d+(?:\.\d+)?|\.\d+)n?|'[^']*'|"[^"]*"|=>|\.\.\.|\?\.|[=!]==?|<<=|>>=|>>>|&&|\|\||\?\?|\*\*|\+\+|--|[-+*/%&|^<>]=?|./gu;

const insertions: readonly string[] = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '**',
  '<<',
  '>>',
  '>>>',
  '&',
  '|',
  '^',
  '&&',
  '||',
  '??',
  '!',
  '~',
  '=',
  '+=',
  '<<=',
  '&&=',
  '||=',
  '==',
  '===',
  '<',
  '++',
  '--',
  '?',
  ':',
  '.',
  '?.',
  ',',
  ';',
  '=>',
  '...',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '0',
  '1',
  '2',
  '0.5',
  '-1',
  '1e9',
  '1n',
  '4294967296',
  '9007199254740993n',
  'true',
  'false',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  "'acquire'",
  "'a'",
  '`t`',
  '/r/',
  'this',
  'if (n)',
  'else',
  'for (;;)',
  'while (n)',
  'do',
  'return',
  'break',
  'continue',
  'const a =',
  'let a =',
  'var a',
  'function f() {}',
  '() =>',
  'async',
  'await',
  'yield',
  'new',
  'typeof',
  'void',
  'delete',
  'in',
  'of',
  'instanceof',
  'switch (n) {}',
  'try {} catch {}',
  'throw',
  'class A {}',
  'debugger',
  'a: ',
  'with (p)',
  'import("x")',
  'super',
  'arguments',
  'eval',
  'constructor',
  '__proto__',
  'toString',
  '__name(',
  'p',
  'q',
  'n',
  'i',
  'x',
  'v',
  'w',
  'h',
  'e',
  'j',
  'l',
  'flag',
  'win',
  'comm',
  'half',
  'f32',
  'u32',
  'bool',
  'p[0]',
  'q[n]',
  'vec(f32, 4)',
  '[0]',
  '.x',
  '(n)',
  '()',
  'p.load(0)',
  'q.atomicAdd(0, 1)',
  'coopCta()',
  'unroll(3)',
  'mod',
  'bar',
  'o',
  'f',
  '{ a: 1 }',
  '{}',
  '[1, 2]',
];

const operators: readonly string[] = insertions.slice(0, insertions.indexOf('?'));
const isSpace = /^\s*$/;
const isName = /^[A-Za-z_$]/;
const isValue = /^(?:[A-Za-z_$\d'"]|\.\d)/;
const isOperator = /^(?:=(?!>)|[-+*/%&|^<>!~]|\?\?)/;
const keywords = /^(?:const|let|var|if|else|for|while|do|return|break|continue|function|of|in|void|new|typeof)$/;

/**
 * The text with a few random edits of its tokens. Most replace a part by a similar one (a name or
 * literal for another, an operator for another, a piece between brackets for another), so that many
 * results are JavaScript.
 */
export function mutate(text: string, random: Random): string {
  const tokens: string[] = [...(text.match(token) ?? [])];
  const edits = 1 + random.below(3);
  for (let edit = 0; edit < edits; edit++) {
    if (random.below(10) < 8) replaceAlike(tokens, random);
    else editAnywhere(tokens, random);
  }
  return tokens.join('');
}

function replaceAlike(tokens: string[], random: Random): void {
  const from = random.below(tokens.length);
  const word = tokens[from] ?? '';
  const close = closing(tokens, from);
  if (close !== undefined) {
    // A piece between brackets is moved, duplicated or emptied.
    const piece = tokens.slice(from + 1, close);
    const other = random.below(tokens.length);
    const end = closing(tokens, other);
    if (random.below(3) === 0) tokens.splice(from + 1, piece.length);
    else if (end !== undefined && tokens[other] === word) tokens.splice(other + 1, end - other - 1, ...piece);
    else if (word === '{') tokens.splice(close, 0, ...piece);
  } else if (keywords.test(word) || isSpace.test(word)) {
    editAnywhere(tokens, random);
  } else if (isValue.test(word)) {
    const known = tokens.filter((candidate) => isValue.test(candidate) && !keywords.test(candidate));
    const names = isName.test(word) ? known.filter((candidate) => isName.test(candidate)) : known;
    tokens[from] = random.below(4) === 0 ? random.pick(insertions) : random.pick(random.below(2) === 0 ? known : names);
  } else if (isOperator.test(word)) {
    const known = tokens.filter((candidate) => isOperator.test(candidate));
    tokens[from] = random.below(2) === 0 ? random.pick(operators) : random.pick(known);
  } else if (word === ';' || word === ',') {
    // A statement or argument is duplicated or removed.
    const next = tokens.findIndex((candidate, index) => index > from && (candidate === word || candidate === '}'));
    if (next !== -1) {
      if (random.below(2) === 0) tokens.splice(from, next - from);
      else tokens.splice(from, 0, ...tokens.slice(from, next));
    }
  } else editAnywhere(tokens, random);
}

/** The position at which the bracket that opens at `from` closes. */
function closing(tokens: readonly string[], from: number): number | undefined {
  const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
  const open = tokens[from] ?? '';
  const close = pairs[open];
  if (close === undefined) return undefined;
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    if (tokens[index] === open) depth++;
    else if (tokens[index] === close && --depth === 0) return index;
  }
  return undefined;
}

function editAnywhere(tokens: string[], random: Random): void {
  const at = (): number => random.below(tokens.length);
  const from = at();
  switch (random.below(6)) {
    case 0:
      tokens.splice(from, 1);
      break;
    case 1:
      tokens.splice(from, 0, tokens[from] ?? '');
      break;
    case 2: {
      const to = at();
      [tokens[from], tokens[to]] = [tokens[to] ?? '', tokens[from] ?? ''];
      break;
    }
    case 3:
      tokens.splice(from, 0, ` ${random.pick(insertions)} `);
      break;
    case 4:
      tokens.splice(from, 1 + random.below(8));
      break;
    default: {
      const piece = tokens.slice(from, from + 1 + random.below(12));
      tokens.splice(at(), 0, ...piece);
    }
  }
  if (tokens.length === 0) tokens.push('x');
}
