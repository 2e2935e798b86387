import type { PtxInitial, PtxStateSpace, PtxType, PtxVariable } from './module.ts';
import { readConstant } from './read-constant.ts';
import type { TokenReader } from './token-reader.ts';
import { ptxTypeBytes, ptxTypeOf } from './types.ts';

/** The words before the name of a variable. */
export interface VariableHead {
  readonly space: PtxStateSpace;
  readonly type: PtxType;
  readonly width: number;
  readonly align: number | undefined;
}

const opaqueTypes: ReadonlySet<string> = new Set(['.texref', '.samplerref', '.surfref']);

/**
 * Reads the words before a name, such as `.align 8 .b8`, `.v4 .f32` or `.u64 .ptr .global .align
 * 16`.
 */
export function readHead(reader: TokenReader, space: PtxStateSpace): VariableHead {
  let align: number | undefined;
  let width = 1;
  let type: PtxType | undefined;
  for (let token = reader.peek(); token.kind === 'directive'; token = reader.peek()) {
    const known = ptxTypeOf(token.text.slice(1));
    if (known !== undefined) type = known;
    else if (opaqueTypes.has(token.text)) return reader.fail('textures and surfaces are not supported', 'P2003');
    reader.next();
    if (token.text === '.v2' || token.text === '.v4' || token.text === '.v8') width = Number(token.text.slice(2));
    else if (token.text === '.align') {
      const value = readInteger(reader);
      // This is the alignment of the pointer's target, not of the pointer.
      if (type === undefined) align = value;
    } else if (token.text === '.attribute') {
      reader.expect('(');
      while (!reader.isAtEnd && !reader.accept(')')) reader.next();
    }
  }
  if (type === undefined) return reader.missing('the type of a variable');
  if (align !== undefined && (align <= 0 || align > 65536 || !Number.isInteger(Math.log2(align)))) {
    return reader.fail(`the alignment ${align} is not a power of two up to 65536`);
  }
  return { space, type, width, align };
}

function readInteger(reader: TokenReader): number {
  const value = readConstant(reader);
  return value.kind === 'integer' ? Number(value.value) : reader.fail('the number before this must be an integer');
}

/** The most bytes of a variable. */
const MOST_BYTES = 2 ** 32;

/** Reads the name of a variable, its array bounds and its initialiser. */
export function readVariable(reader: TokenReader, head: VariableHead, start: number, isExtern: boolean): PtxVariable {
  const name = reader.word('the name of a variable');
  const bounds: number[] = [];
  let isOpen = false;
  while (reader.accept('[')) {
    if (reader.accept(']')) {
      isOpen = true;
      bounds.push(0);
      continue;
    }
    const bound = readInteger(reader);
    if (bound < 0) return reader.fail('an array cannot have a negative length');
    bounds.push(bound);
    reader.expect(']');
  }
  const size = ptxTypeBytes(head.type) * head.width;
  const items = reader.accept('=') ? readItems(reader, head.type) : undefined;
  const given = items === undefined ? 0 : items.reduce((sum, item) => sum + item.bytes, 0);
  if (isOpen && !isExtern) bounds[0] = Math.ceil(given / (size * bounds.slice(1).reduce((a, b) => a * b, 1)));
  const length = bounds.length === 0 ? undefined : bounds.reduce((a, b) => a * b, 1);
  const bytes = size * (length ?? 1);
  if (bytes > MOST_BYTES || !Number.isSafeInteger(bytes)) return reader.fail(`${name} is larger than 4 GiB`);
  if (given > bytes) return reader.fail(`${name} has ${bytes} bytes but its values have ${given}`);
  return {
    name,
    space: head.space,
    type: head.type,
    width: head.width,
    ...(length === undefined ? {} : { length }),
    bytes,
    align: head.align ?? size,
    isExtern,
    ...(items === undefined ? {} : { initial: initialOf(items, bytes) }),
    span: { start, end: reader.lastEnd },
  };
}

type Item =
  | { readonly kind: 'bits'; readonly bits: bigint; readonly bytes: number }
  | {
      readonly kind: 'address';
      readonly symbol: string;
      readonly offset: bigint;
      readonly generic: boolean;
      readonly bytes: number;
    };

function readItems(reader: TokenReader, type: PtxType, depth = 0): readonly Item[] {
  if (depth > 16) return reader.fail('the values are nested too deeply');
  const items: Item[] = [];
  if (!reader.accept('{')) return [readItem(reader, type)];
  while (!reader.accept('}')) {
    // The values are added one by one, because there may be more than a call takes arguments.
    for (const item of readItems(reader, type, depth + 1)) items.push(item);
    if (!reader.is('}')) reader.expect(',');
  }
  return items;
}

function readItem(reader: TokenReader, type: PtxType): Item {
  const token = reader.peek();
  const bytes = ptxTypeBytes(type);
  if (token.kind === 'word' && token.text !== 'WARP_SZ') {
    const generic = token.text === 'generic' && reader.is('(', 1);
    if (token.text === 'mask') return reader.fail('parts of addresses are not supported', 'P2003');
    reader.next();
    const symbol = generic ? (reader.expect('('), reader.word('a variable')) : token.text;
    if (generic) reader.expect(')');
    let offset = 0n;
    if (reader.is('+') || reader.is('-')) {
      const value = readConstant(reader);
      if (value.kind !== 'integer') return reader.fail('the number before this must be an integer');
      offset = value.value;
    }
    if (bytes !== 8) return reader.fail(`an address has 8 bytes, but the values here have ${bytes}`, 'P2003');
    return { kind: 'address', symbol, offset, generic, bytes };
  }
  const value = readConstant(reader);
  if (value.kind === 'integer') return { kind: 'bits', bits: BigInt.asUintN(bytes * 8, value.value), bytes };
  if (bytes === 4 && value.bytes === 8) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, value.bits);
    view.setFloat32(0, view.getFloat64(0));
    return { kind: 'bits', bits: BigInt(view.getUint32(0)), bytes };
  }
  return { kind: 'bits', bits: value.bits, bytes };
}

function initialOf(items: readonly Item[], bytes: number): PtxInitial {
  const data = new Uint8Array(bytes);
  const addresses: PtxInitial['addresses'][number][] = [];
  let at = 0;
  for (const item of items) {
    if (item.kind === 'address') {
      const { symbol, offset, generic } = item;
      addresses.push({ at, symbol, offset, generic });
    } else {
      for (let i = 0; i < item.bytes; i++) data[at + i] = Number((item.bits >> BigInt(8 * i)) & 0xffn);
    }
    at += item.bytes;
  }
  return { bytes: data, addresses };
}
