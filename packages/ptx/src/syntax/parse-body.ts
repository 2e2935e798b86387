import type { PtxBody, PtxInstruction, PtxItem, PtxLocation, PtxOperand, PtxType, PtxVariable } from './module.ts';
import { readHead, readVariable } from './parse-variable.ts';
import { readLocation, type Locations } from './read-location.ts';
import { readOperand, type SymbolScope } from './read-operand.ts';
import { Unreadable, type TokenReader } from './token-reader.ts';

/** The most registers that a declaration may make. */
const MOST_REGISTERS = 1_000_000;
const MOST_DEPTH = 200;

/**
 * Reads the body of a function, after its opening brace. `params` are names that its code may use.
 */
export function readBody(reader: TokenReader, locations: Locations, params: readonly PtxVariable[]): PtxBody {
  return new BodyReader(reader, locations, params).body();
}

interface Block {
  readonly outer: Block | undefined;
  readonly registers: Map<string, string>;
  readonly symbols: Map<string, string>;
}

/** A range of registers, such as `%r<100>`, with numbers below `count`. */
class BodyReader implements SymbolScope {
  readonly #reader: TokenReader;
  readonly #locations: Locations;
  readonly #registers = new Map<string, PtxType>();
  readonly #variables: PtxVariable[] = [];
  readonly #items: PtxItem[] = [];
  readonly #targets = new Map<string, readonly string[]>();
  readonly #taken = new Set<string>();
  #block: Block = { outer: undefined, registers: new Map(), symbols: new Map() };
  #scopes = 0;
  #location: PtxLocation | undefined;

  constructor(reader: TokenReader, locations: Locations, params: readonly PtxVariable[]) {
    this.#reader = reader;
    this.#locations = locations;
    // Parameters in registers, of functions with the old calling convention.
    for (const { name, space, type } of params) {
      if (space === 'reg') {
        this.#registers.set(name, type);
        this.#block.registers.set(name, name);
      }
      this.#taken.add(name);
    }
  }

  body(): PtxBody {
    this.#declareLabels();
    let depth = 0;
    for (;;) {
      const reader = this.#reader;
      if (reader.isAtEnd) {
        reader.report('P1001', 'the last brace of the function is missing', reader.lastEnd, reader.lastEnd);
        break;
      }
      if (reader.accept('}')) {
        if (depth === 0) break;
        depth--;
        this.#block = this.#block.outer ?? this.#block;
        continue;
      }
      if (reader.accept('{')) {
        depth++;
        this.#scopes++;
        if (depth > MOST_DEPTH) {
          reader.report('P1001', 'the scopes of the function are nested too deeply', reader.lastEnd, reader.lastEnd);
          reader.skipRest(depth + 1);
          break;
        }
        this.#block = { outer: this.#block, registers: new Map(), symbols: new Map() };
        this.#declareLabels();
        continue;
      }
      try {
        this.#statement();
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        reader.recover();
      }
    }
    return {
      registers: this.#registers,
      variables: this.#variables,
      items: this.#items,
      branchTargets: this.#targets,
    };
  }

  register(name: string): string | undefined {
    for (let block: Block | undefined = this.#block; block !== undefined; block = block.outer) {
      const found = block.registers.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  symbol(name: string): string {
    for (let block: Block | undefined = this.#block; block !== undefined; block = block.outer) {
      const found = block.symbols.get(name);
      if (found !== undefined) return found;
    }
    return name;
  }

  /** Labels are valid in the whole scope, even before their definition. */
  #declareLabels(): void {
    const reader = this.#reader;
    let depth = 0;
    for (let ahead = 0; ; ahead++) {
      const { kind, text } = reader.peek(ahead);
      if (kind === 'end') return;
      if (text === '{') depth++;
      else if (text === '}') {
        if (depth === 0) return;
        depth--;
      } else if (depth === 0 && kind === 'word' && reader.is(':', ahead + 1) && this.#isStatementStart(ahead)) {
        if (this.#block.symbols.has(text)) {
          const at = reader.peek(ahead);
          reader.report('P1005', `${text} is declared twice in its scope`, at.start, at.end);
        } else this.#block.symbols.set(text, this.#unique(text));
      }
    }
  }

  #isStatementStart(ahead: number): boolean {
    if (ahead === 0) return true;
    const before = this.#reader.peek(ahead - 1);
    // `.loc` lines and directives have no semicolon at the end.
    return (
      before.kind !== 'punctuation' ||
      before.text === ';' ||
      before.text === ':' ||
      before.text === '}' ||
      before.text === '{'
    );
  }

  /** Returns a name that is unique in the function. */
  #unique(name: string): string {
    const made = this.#block.outer === undefined && !this.#taken.has(name) ? name : `${name}@${this.#scopes}`;
    this.#taken.add(made);
    return made;
  }

  #statement(): void {
    const reader = this.#reader;
    const token = reader.peek();
    if (token.kind === 'directive') return this.#directive();
    if (token.kind === 'word' && reader.is(':', 1)) {
      reader.next();
      reader.next();
      return this.#labelled(token.text, token.start, token.end);
    }
    if (reader.accept(';')) return;
    this.#instruction();
  }

  #labelled(name: string, start: number, end: number): void {
    const reader = this.#reader;
    const label = this.symbol(name);
    if (reader.accept('.branchtargets')) {
      const targets: string[] = [];
      do targets.push(this.symbol(reader.word('a label')));
      while (reader.accept(','));
      reader.expect(';');
      this.#targets.set(label, targets);
      return;
    }
    if (reader.is('.callprototype') || reader.is('.calltargets')) return reader.recover();
    this.#items.push({ kind: 'label', name: label, span: { start, end } });
  }

  #directive(): void {
    const reader = this.#reader;
    const { text, start } = reader.peek();
    switch (text) {
      case '.loc':
        if (this.#locations.counted.has(start)) readLocation(reader, { ...this.#locations, byInstruction: new Map() });
        else this.#location = readLocation(reader, this.#locations);
        return;
      case '.reg':
        reader.next();
        return this.#declareRegisters();
      case '.shared':
      case '.local':
      case '.param':
      case '.global':
      case '.const': {
        reader.next();
        return this.#declareVariable(text, start, false);
      }
      case '.extern': {
        reader.next();
        return this.#declareVariable(reader.next().text, start, true);
      }
      case '.pragma':
      default:
        return reader.recover();
    }
  }

  #declareRegisters(): void {
    const reader = this.#reader;
    const { type, width } = readHead(reader, 'reg');
    do {
      const at = reader.peek();
      const name = reader.word('the name of a register');
      if (!reader.accept('<')) {
        this.#declareRegister(name, type, width, at.start, at.end);
        continue;
      }
      const count = Number(/^\d+$/.exec(reader.peek().text)?.[0] ?? Number.NaN);
      if (!(count <= MOST_REGISTERS)) return reader.missing(`a number of registers up to ${MOST_REGISTERS}`);
      reader.next();
      reader.expect('>');
      for (let i = 0; i < count; i++) this.#declareRegister(`${name}${i}`, type, width, at.start, at.end);
    } while (reader.accept(','));
    reader.expect(';');
  }

  #declareRegister(name: string, type: PtxType, width: number, start: number, end: number): void {
    const parts = width === 1 ? [name] : ['x', 'y', 'z', 'w'].slice(0, width).map((part) => `${name}.${part}`);
    for (const part of parts) {
      if (this.#block.registers.has(part)) {
        this.#reader.report('P1005', `${part} is declared twice in its scope`, start, end);
        continue;
      }
      const made = this.#unique(part);
      this.#block.registers.set(part, made);
      this.#registers.set(made, type);
    }
  }

  #declareVariable(space: string, start: number, isExtern: boolean): void {
    const reader = this.#reader;
    const name = space.slice(1);
    if (name !== 'shared' && name !== 'local' && name !== 'param' && name !== 'global' && name !== 'const') {
      return reader.fail(`${space} is not a state space of variables`);
    }
    const head = readHead(reader, name);
    do {
      const variable = readVariable(reader, head, start, isExtern);
      if (this.#block.symbols.has(variable.name)) {
        reader.report('P1005', `${variable.name} is declared twice in its scope`, start, reader.lastEnd);
        continue;
      }
      const made = this.#unique(variable.name);
      this.#block.symbols.set(variable.name, made);
      this.#variables.push({ ...variable, name: made });
    } while (reader.accept(','));
    reader.expect(';');
  }

  #instruction(): void {
    const reader = this.#reader;
    const { start } = reader.peek();
    const guard = this.#guard();
    const opcode = reader.peek();
    const words: [string, ...string[]] = [reader.word('an instruction')];
    for (
      let end = opcode.end, token = reader.peek();
      token.kind === 'directive' && token.start === end;
      token = reader.peek()
    ) {
      words.push(token.text.slice(1));
      end = token.end;
      reader.next();
    }
    const operands: PtxOperand[] = [];
    while (!reader.is(';')) {
      operands.push(readOperand(reader, this, words[0] === 'call'));
      if (!reader.is(';')) reader.expect(',');
    }
    reader.expect(';');
    this.#items.push({
      kind: 'instruction',
      words,
      operands,
      ...(guard === undefined ? {} : { guard }),
      ...(this.#location === undefined ? {} : { location: this.#location }),
      span: { start, end: reader.lastEnd },
    });
  }

  #guard(): PtxInstruction['guard'] {
    const reader = this.#reader;
    if (!reader.accept('@')) return undefined;
    const isNegated = reader.accept('!');
    const name = reader.word('a predicate');
    return { register: this.register(name) ?? name, isNegated };
  }
}
