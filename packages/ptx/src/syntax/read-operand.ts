import { wordTable } from '@nccl-ts/core';
import type { PtxAddressBase, PtxOperand } from './module.ts';
import { readConstant } from './read-constant.ts';
import type { TokenReader } from './token-reader.ts';

/** The meaning of a name in the code being read. */
export interface SymbolScope {
  /** The register's name in the whole function. */
  register(name: string): string | undefined;
  /** The unique name of a label or variable of the function. Other names do not change. */
  symbol(name: string): string;
}

const components: ReadonlySet<string> = new Set(['.x', '.y', '.z', '.w', '.r', '.g', '.b', '.a']);
const letters: Readonly<Record<string, string>> = wordTable({ '.r': '.x', '.g': '.y', '.b': '.z', '.a': '.w' });

const MOST_DEPTH = 20;

/**
 * Reads an operand. Only calls have lists in parentheses. Elsewhere parentheses belong to a
 * constant expression.
 */
export function readOperand(reader: TokenReader, scope: SymbolScope, takesLists: boolean, depth = 0): PtxOperand {
  if (depth > MOST_DEPTH) return reader.fail('the operands are nested too deeply');
  if (takesLists && reader.accept('(')) return { kind: 'list', elements: readList(reader, scope, ')', depth) };
  const first = readOne(reader, scope, depth);
  if (!reader.accept('|')) return first;
  return { kind: 'pair', first, second: readOne(reader, scope, depth) };
}

function readOne(reader: TokenReader, scope: SymbolScope, depth: number): PtxOperand {
  if (reader.accept('{')) return { kind: 'vector', elements: readList(reader, scope, '}', depth) };
  if (reader.accept('[')) return readAddress(reader, scope, depth);
  if (reader.is('!') && reader.peek(1).kind === 'word') {
    reader.next();
    const name = readName(reader);
    return { kind: 'register', name: scope.register(name) ?? name, isNegated: true };
  }
  const token = reader.peek();
  if (token.kind === 'word' && token.text !== 'WARP_SZ') {
    if (token.text === '_') {
      reader.next();
      return { kind: 'sink' };
    }
    const name = readName(reader);
    const whole = vectorOf(name, scope);
    if (whole !== undefined) return whole;
    const register = scope.register(name) ?? (isSpecial(name) ? name : undefined);
    if (register !== undefined) return { kind: 'register', name: register, isNegated: false };
    return { kind: 'symbol', name: scope.symbol(name), offset: readOffset(reader) };
  }
  return readConstant(reader);
}

/** A register that was declared as a vector (`.reg .v4 .b32 %v`), as its components. */
function vectorOf(name: string, scope: SymbolScope): PtxOperand | undefined {
  if (scope.register(name) !== undefined) return undefined;
  const elements = ['x', 'y', 'z', 'w'].flatMap((letter): PtxOperand[] => {
    const component = scope.register(`${name}.${letter}`);
    return component === undefined ? [] : [{ kind: 'register', name: component, isNegated: false }];
  });
  return elements.length === 0 ? undefined : { kind: 'vector', elements };
}

/** Special registers are not declared. */
function isSpecial(name: string): boolean {
  return name.startsWith('%');
}

/** `%tid.x` and `%v.x` are single names. */
function readName(reader: TokenReader): string {
  const start = reader.peek();
  const name = reader.word('a name');
  const component = reader.peek();
  if (component.kind !== 'directive' || component.start !== start.end || !components.has(component.text)) return name;
  reader.next();
  return `${name}${letters[component.text] ?? component.text}`;
}

function readList(reader: TokenReader, scope: SymbolScope, end: string, depth: number): readonly PtxOperand[] {
  const elements: PtxOperand[] = [];
  while (!reader.accept(end)) {
    elements.push(readOperand(reader, scope, false, depth + 1));
    if (!reader.is(end)) reader.expect(',');
  }
  return elements;
}

function readOffset(reader: TokenReader): bigint {
  if (!reader.is('+') && !reader.is('-')) return 0n;
  if (reader.is('+')) reader.next();
  const value = readConstant(reader);
  return value.kind === 'integer' ? value.value : reader.fail('the number before this must be an integer');
}

/** Reads the operand after the opening bracket. */
function readAddress(reader: TokenReader, scope: SymbolScope, depth: number): PtxOperand {
  const token = reader.peek();
  let base: PtxAddressBase | undefined;
  let offset: bigint;
  if (token.kind === 'word' && token.text !== 'WARP_SZ') {
    const name = readName(reader);
    const register = scope.register(name) ?? (isSpecial(name) ? name : undefined);
    base = register === undefined ? { kind: 'symbol', name: scope.symbol(name) } : { kind: 'register', name: register };
    offset = readOffset(reader);
  } else {
    const value = readConstant(reader);
    if (value.kind !== 'integer') return reader.fail('the number before this must be an integer');
    offset = value.value;
  }
  const more: PtxOperand[] = [];
  while (reader.accept(',')) more.push(readOperand(reader, scope, false, depth + 1));
  reader.expect(']');
  return {
    kind: 'address',
    offset,
    ...(base === undefined ? {} : { base }),
    ...(more.length === 0 ? {} : { more }),
  };
}
