import { wordTable } from '@nccl-ts/core';
/**
 * Demangles the name of a C++ function, with template arguments and parameters: `reduce<float,
 * 2>(float *, int)`. Names that are not mangled, or mangled in a form that kernels do not use, are
 * returned unchanged.
 */
export function demangle(name: string): string {
  if (!name.startsWith('_Z')) return name;
  const reader = new Reader(name.slice(2));
  try {
    const text = reader.encoding();
    return reader.isAtEnd ? text : name;
  } catch (error) {
    if (error instanceof NotRead) return name;
    throw error;
  }
}

class NotRead extends Error {}

const builtins: Readonly<Record<string, string>> = wordTable({
  v: 'void',
  b: 'bool',
  c: 'char',
  a: 'signed char',
  h: 'unsigned char',
  s: 'short',
  t: 'unsigned short',
  i: 'int',
  j: 'unsigned',
  l: 'long',
  m: 'unsigned long',
  x: 'long long',
  y: 'unsigned long long',
  w: 'wchar_t',
  f: 'float',
  d: 'double',
  e: 'long double',
  n: '__int128',
  o: 'unsigned __int128',
  z: '...',
  Dh: 'half',
  DF16_: '_Float16',
  DF16b: '__bf16',
  Dn: 'std::nullptr_t',
  Ds: 'char16_t',
  Di: 'char32_t',
});

const unary: Readonly<Record<string, string>> = wordTable({ ng: '-', nt: '!', co: '~' });

const binary: Readonly<Record<string, string>> = wordTable({
  pl: '+',
  mi: '-',
  ml: '*',
  dv: '/',
  rm: '%',
  an: '&',
  or: '|',
  eo: '^',
  ls: '<<',
  rs: '>>',
  eq: '==',
  ne: '!=',
  lt: '<',
  gt: '>',
  le: '<=',
  ge: '>=',
  aa: '&&',
  oo: '||',
});

const standard: Readonly<Record<string, string>> = wordTable({ St: 'std', Sa: 'std::allocator', Ss: 'std::string' });

/**
 * The limit for nesting. No name nests as deeply, and the parser must end even for a text that is
 * not a name.
 */
const MOST_DEPTH = 64;

/** Reads the Itanium ABI's names from left to right. */
class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  readonly #known: string[] = [];
  #templateArguments: readonly string[] = [];
  /** True among the parameters of a function, whose types do not change its template arguments. */
  #isInParameters = false;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length || this.#text[this.#at] === '.';
  }

  /** A function's name and parameters, or a variable's name. */
  encoding(): string {
    const outer = { isInParameters: this.#isInParameters, templateArguments: this.#templateArguments };
    this.#isInParameters = false;
    const { text, isTemplate } = this.#name();
    this.#isInParameters = true;
    if (this.isAtEnd || this.#text[this.#at] === 'E') return this.#leave(outer, text);
    // A template names its return type before its parameters.
    if (isTemplate) this.#type();
    return this.#leave(outer, `${text}(${this.#parameterTypes()})`);
  }

  #leave(
    outer: { readonly isInParameters: boolean; readonly templateArguments: readonly string[] },
    text: string,
  ): string {
    this.#isInParameters = outer.isInParameters;
    if (outer.isInParameters) this.#templateArguments = outer.templateArguments;
    return text;
  }

  /** The types up to the end of the name, or the `E` that ends them. */
  #parameterTypes(): string {
    const params: string[] = [];
    while (!this.isAtEnd && this.#text[this.#at] !== 'E') params.push(this.#type());
    return params.join() === 'void' ? '' : params.join(', ');
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #expect(word: string): void {
    if (!this.#take(word)) throw new NotRead();
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new NotRead();
    this.#at += found.length;
    return found;
  }

  #learn(text: string): string {
    this.#known.push(text);
    return text;
  }

  #name(): { readonly text: string; readonly isTemplate: boolean } {
    if (this.#take('N')) return this.#nested();
    if (this.#take('Z')) {
      const within = this.encoding();
      this.#expect('E');
      const { text, isTemplate } = this.#name();
      return { text: `${within}::${text}`, isTemplate };
    }
    const isSubstitution = this.#text[this.#at] === 'S' && !this.#text.startsWith('St', this.#at);
    let text = isSubstitution ? this.#substitution() : this.#unqualified('');
    if (this.#text[this.#at] !== 'I') return { text, isTemplate: false };
    if (!isSubstitution) this.#learn(text);
    text += this.#arguments();
    return { text, isTemplate: true };
  }

  #nested(): { readonly text: string; readonly isTemplate: boolean } {
    this.#match(/[rVK]*[RO]?/y);
    let text = '';
    let isTemplate = false;
    while (!this.#take('E')) {
      const next = this.#text[this.#at];
      if (next === undefined) throw new NotRead();
      if (next === 'I') {
        text = this.#learn(text + this.#arguments());
        isTemplate = true;
        continue;
      }
      isTemplate = false;
      if (next === 'S' && !this.#text.startsWith('St', this.#at)) text = this.#substitution();
      else if (next === 'T') text = this.#learn(this.#parameter());
      else text = this.#learn(this.#unqualified(text));
    }
    // The whole name is not a substitution itself.
    this.#known.pop();
    return { text, isTemplate };
  }

  #unqualified(scope: string): string {
    const before = this.#take('St') ? 'std::' : scope === '' ? '' : `${scope}::`;
    this.#take('L');
    if (/[CD][123]/y.test(this.#text.slice(this.#at, this.#at + 2))) {
      this.#at += 2;
      return `${before}${scope.replace(/^.*::/, '')}`;
    }
    const length = Number(this.#match(/\d+/y));
    const word = this.#text.slice(this.#at, this.#at + length);
    if (word.length < length) throw new NotRead();
    this.#at += length;
    return `${before}${/^_GLOBAL__N_|^_INTERNAL_/.test(word) ? '(anonymous namespace)' : word}`;
  }

  #substitution(): string {
    for (const [code, text] of Object.entries(standard)) if (this.#take(code)) return text;
    this.#expect('S');
    const digits = this.#match(/[0-9A-Z]*_/y).slice(0, -1);
    return this.#known[digits === '' ? 0 : Number.parseInt(digits, 36) + 1] ?? this.#fail();
  }

  #parameter(): string {
    this.#expect('T');
    const digits = this.#match(/\d*_/y).slice(0, -1);
    return this.#templateArguments[digits === '' ? 0 : Number(digits) + 1] ?? this.#fail();
  }

  #fail(): never {
    throw new NotRead();
  }

  #arguments(): string {
    this.#expect('I');
    const all: string[] = [];
    while (!this.#take('E')) all.push(...this.#argument());
    if (!this.#isInParameters) this.#templateArguments = all;
    return `<${all.join(', ')}>`;
  }

  #argument(): readonly string[] {
    if (this.#take('L')) return [this.#literal()];
    if (this.#take('X')) {
      const text = this.#expression();
      this.#expect('E');
      return [text];
    }
    if (this.#take('J')) {
      const all: string[] = [];
      while (!this.#take('E')) all.push(...this.#argument());
      return all;
    }
    return [this.#type()];
  }

  /** A template argument that is computed: of another argument, or the address of a function. */
  #expression(): string {
    if (++this.#depth > MOST_DEPTH) this.#fail();
    try {
      if (this.#take('L')) return this.#literal();
      if (this.#text[this.#at] === 'T') return this.#parameter();
      if (this.#take('ad')) return `&${this.#expression()}`;
      if (this.#take('st')) return `sizeof(${this.#type()})`;
      if (this.#take('sz')) return `sizeof(${this.#expression()})`;
      if (this.#take('cv')) return `(${this.#type()})${this.#expression()}`;
      for (const [code, sign] of Object.entries(unary)) if (this.#take(code)) return `${sign}${this.#expression()}`;
      for (const [code, sign] of Object.entries(binary)) {
        if (this.#take(code)) return `(${this.#expression()} ${sign} ${this.#expression()})`;
      }
      return this.#fail();
    } finally {
      this.#depth--;
    }
  }

  #literal(): string {
    if (this.#take('_Z')) {
      const text = this.encoding();
      this.#expect('E');
      // A function is called by its name, as in the source.
      return text.replace(/\([^()]*\)$/, '');
    }
    const type = this.#type();
    const value = this.#match(/n?\d+/y).replace('n', '-');
    this.#expect('E');
    if (type === 'bool') return value === '0' ? 'false' : 'true';
    return Object.values(builtins).includes(type) ? value : `(${type})${value}`;
  }

  #type(): string {
    if (++this.#depth > MOST_DEPTH) this.#fail();
    try {
      return this.#typeInside();
    } finally {
      this.#depth--;
    }
  }

  #typeInside(): string {
    for (const [code, text] of Object.entries(builtins)) if (this.#take(code)) return text;
    if (this.#take('PF')) return this.#functionPointer();
    if (this.#take('P')) return this.#learn(`${this.#type()} *`);
    if (this.#take('F')) return this.#learn(this.#functionType(''));
    // The arguments of a parameter pack are one list, which stands for it.
    if (this.#take('Dp')) return this.#type();
    if (this.#take('R')) return this.#learn(`${this.#type()} &`);
    if (this.#take('O')) return this.#learn(`${this.#type()} &&`);
    if (this.#take('K')) return this.#learn(qualified('const', this.#type()));
    if (this.#take('V')) return this.#learn(qualified('volatile', this.#type()));
    if (this.#take('A')) {
      const length = this.#match(/\d*_/y).slice(0, -1);
      return this.#learn(`${this.#type()} [${length}]`);
    }
    const next = this.#text[this.#at];
    if (next === 'T') return this.#withArguments(this.#learn(this.#parameter()));
    if (next === 'S' && !this.#text.startsWith('St', this.#at)) {
      const known = this.#substitution();
      return this.#text[this.#at] === 'I' ? this.#withArguments(known) : known;
    }
    return this.#learn(this.#name().text);
  }

  /** The type of a function, with `name` in the place of its name. */
  #functionType(name: string): string {
    this.#take('Y');
    const result = this.#type();
    const text = `${result} ${name}(${this.#parameterTypes()})`;
    this.#expect('E');
    return text;
  }

  /** A function's type comes before the pointer to it among the substitutions. */
  #functionPointer(): string {
    const pointer = this.#functionType('(*)');
    this.#learn(pointer.replace('(*)', ''));
    return this.#learn(pointer);
  }

  #withArguments(text: string): string {
    return this.#text[this.#at] === 'I' ? this.#learn(text + this.#arguments()) : text;
  }
}

/** Qualifies a type. The qualifier of a pointer stands after the asterisk: `float *const *`. */
function qualified(word: string, type: string): string {
  return type.endsWith('*') ? `${type}${word}` : `${word} ${type}`;
}

/**
 * The function's own name, without namespaces, template arguments and parameters:
 * `cross_device_reduce_1stage`.
 */
export function plainName(name: string): string {
  const own = /^_ZN?(?:\d|S)/u.test(name) ? lastIdentifier(name) : undefined;
  return own ?? name;
}

/** The last of the length-prefixed identifiers at the start of a mangled name. */
function lastIdentifier(mangled: string): string | undefined {
  let found: string | undefined;
  let rest = mangled.replace(/^_ZN?(?:St|S\d*_)?/u, '');
  for (let match = /^\d+/u.exec(rest); match !== null; match = /^\d+/u.exec(rest)) {
    const [digits] = match;
    const length = Number(digits);
    const text = rest.slice(digits.length, digits.length + length);
    if (text.length < length) break;
    found = text.startsWith('_GLOBAL__N') ? found : text;
    rest = rest.slice(digits.length + length);
    // If a name is in no namespace, its parameters follow.
    if (!mangled.startsWith('_ZN')) break;
  }
  return found;
}
