import type { PtxDiagnostic } from './diagnostic.ts';
import { countedLocations } from './generated-loads.ts';
import type { PtxFunction, PtxModule, PtxVariable } from './module.ts';
import { readBody } from './parse-body.ts';
import { readHead, readVariable } from './parse-variable.ts';
import { readConstant } from './read-constant.ts';
import { TokenReader, Unreadable } from './token-reader.ts';

export interface ParsedPtx {
  /** Absent if the text has errors. */
  readonly module?: PtxModule;
  readonly diagnostics: readonly PtxDiagnostic[];
}

/**
 * Parses PTX text. `name` is the name of the file, for messages. For any text, the result is a
 * module or the reason why there is none.
 */
export function parsePtx(text: string, name: string): ParsedPtx {
  return new ModuleReader(text, name).parse();
}

const linking: ReadonlySet<string> = new Set(['.visible', '.extern', '.weak', '.common']);

class ModuleReader {
  readonly #reader: TokenReader;
  readonly #name: string;
  readonly #files = new Map<number, string>();
  readonly #counted: ReadonlySet<number>;
  readonly #functions: PtxFunction[] = [];
  readonly #variables: PtxVariable[] = [];
  #version: readonly [number, number] | undefined;
  #target = '';

  constructor(text: string, name: string) {
    this.#reader = new TokenReader(text);
    this.#name = name;
    this.#counted = countedLocations(text);
  }

  parse(): ParsedPtx {
    const reader = this.#reader;
    while (!reader.isAtEnd) {
      try {
        this.#directive();
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        reader.recover();
        reader.accept('}');
      }
    }
    const { diagnostics, text } = reader;
    if (diagnostics.length === 0) this.#checkVersion();
    if (diagnostics.length > 0) return { diagnostics };
    return {
      diagnostics,
      module: {
        name: this.#name,
        text,
        version: this.#version ?? [0, 0],
        target: this.#target,
        files: this.#files,
        functions: this.#functions,
        variables: this.#variables,
      },
    };
  }

  #checkVersion(): void {
    const reader = this.#reader;
    const end = Math.min(1, reader.text.length);
    if (this.#version === undefined) {
      reader.report('P1001', `${this.#name} has no .version, so it is not a PTX text`, 0, end);
      return;
    }
    const architecture = Number(/^sm_(\d+)/.exec(this.#target)?.[1] ?? Number.NaN);
    if (this.#version[0] < 6 || !(architecture >= 70)) {
      const what = this.#version[0] < 6 ? `version ${this.#version.join('.')}` : `target ${this.#target || 'none'}`;
      reader.report(
        'P1004',
        `the ${what} of ${this.#name} is too old: the memory model of PTX begins with PTX 6.0 and sm_70`,
        0,
        end,
        'compile it for sm_70 or later',
      );
    }
  }

  #directive(): void {
    const reader = this.#reader;
    const token = reader.peek();
    switch (token.text) {
      case '.version': {
        reader.next();
        const match = /^(\d+)\.(\d+)$/.exec(reader.peek().text);
        if (match === null) return reader.missing('a version such as 8.5');
        reader.next();
        this.#version = [Number(match[1]), Number(match[2])];
        return;
      }
      case '.target':
        reader.next();
        this.#target = reader.word('a target');
        while (reader.accept(',')) reader.next();
        return;
      case '.address_size':
        reader.next();
        if (reader.next().text !== '64') {
          return reader.report('P1004', 'the addresses must have 64 bits, as on GPUs', token.start, token.end);
        }
        return;
      case '.file':
        return this.#file();
      case '.section':
        reader.next();
        while (!reader.isAtEnd && !reader.is('{')) reader.next();
        return reader.skipBraces();
      case '.pragma':
      case '.alias':
        return token.text === '.alias' ? this.#alias() : reader.recover();
      default:
        return this.#declaration();
    }
  }

  #file(): void {
    const reader = this.#reader;
    reader.next();
    const index = readConstant(reader);
    const path = reader.next();
    if (index.kind !== 'integer' || path.kind !== 'string')
      return reader.fail('.file needs a number and a path before this');
    this.#files.set(Number(index.value), path.text.slice(1, -1).replaceAll('\\\\', '\\').replaceAll('\\"', '"'));
    // Skips the time and the size of the file.
    for (let i = 0; i < 2 && reader.accept(','); i++) readConstant(reader);
  }

  /** Reads another name of a function. */
  #alias(): void {
    const reader = this.#reader;
    reader.next();
    const name = reader.word('a name');
    reader.expect(',');
    const of = reader.word('the name of a function');
    reader.expect(';');
    const found = this.#functions.find((one) => one.name === of && one.body !== undefined);
    if (found !== undefined) this.#functions.push({ ...found, name });
  }

  #declaration(): void {
    const reader = this.#reader;
    const { start } = reader.peek();
    let isExtern = false;
    while (linking.has(reader.peek().text)) isExtern = reader.next().text === '.extern' || isExtern;
    const token = reader.peek();
    if (token.text === '.entry' || token.text === '.func') return this.#function(start);
    if (token.text === '.global' || token.text === '.const' || token.text === '.shared') {
      reader.next();
      const space = token.text === '.global' ? 'global' : token.text === '.const' ? 'const' : 'shared';
      const head = readHead(reader, space);
      do this.#variables.push(readVariable(reader, head, start, isExtern));
      while (reader.accept(','));
      reader.expect(';');
      return;
    }
    if (token.text === '.tex') return reader.fail('textures are not supported', 'P2003');
    return reader.missing('a function or a variable');
  }

  #function(start: number): void {
    const reader = this.#reader;
    const kind = reader.next().text === '.entry' ? 'entry' : 'func';
    this.#attributes();
    const returns = kind === 'func' && reader.is('(') ? this.#params() : [];
    const name = reader.word('the name of a function');
    const params = reader.is('(') ? this.#params() : [];
    const directives = this.#directives();
    const head = { start, end: reader.lastEnd };
    if (reader.accept(';')) {
      this.#functions.push({ kind, name, params, returns, directives, span: head });
      return;
    }
    reader.expect('{');
    const body = readBody(reader, { last: undefined, byInstruction: new Map(), counted: this.#counted }, [
      ...params,
      ...returns,
    ]);
    this.#functions.push({ kind, name, params, returns, directives, body, span: head });
  }

  #attributes(): void {
    const reader = this.#reader;
    while (reader.accept('.attribute')) {
      reader.expect('(');
      while (!reader.isAtEnd && !reader.accept(')')) reader.next();
    }
  }

  #params(): readonly PtxVariable[] {
    const reader = this.#reader;
    const params: PtxVariable[] = [];
    reader.expect('(');
    while (!reader.accept(')')) {
      const { start, text } = reader.peek();
      if (text !== '.param' && text !== '.reg') return reader.missing('.param or .reg');
      reader.next();
      params.push(readVariable(reader, readHead(reader, text === '.reg' ? 'reg' : 'param'), start, false));
      if (!reader.is(')')) reader.expect(',');
    }
    return params;
  }

  /** Reads directives such as `.maxntid 128, 1, 1`, `.minnctapersm 1` and `.noreturn`. */
  #directives(): ReadonlyMap<string, readonly number[]> {
    const reader = this.#reader;
    const directives = new Map<string, readonly number[]>();
    while (reader.peek().kind === 'directive') {
      const name = reader.next().text;
      if (name === '.pragma' || name === '.abi_preserve' || name === '.abi_preserve_control') {
        while (!reader.isAtEnd && !reader.is('{') && !reader.is(';') && reader.peek().kind !== 'directive')
          reader.next();
        reader.accept(';');
        continue;
      }
      const numbers: number[] = [];
      while (reader.peek().kind === 'number') {
        const value = readConstant(reader);
        numbers.push(value.kind === 'integer' ? Number(value.value) : Number.NaN);
        if (!reader.accept(',')) break;
      }
      directives.set(name, numbers);
    }
    return directives;
  }
}
