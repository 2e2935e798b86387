import { at, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  bodyReads,
  mapStatementParts,
  pointerCast,
  vector,
  vectorType,
  type Body,
  type Expression,
  type Module,
  type Span,
  type Statement,
  type StoreStatement,
} from '@nccl-ts/ir';

/** The bytes of the widest store of a GPU. */
const WIDEST = 16;

/** A kernel in which stores are merged. */
export interface WideStores {
  readonly module: Module;
  /** The last store of each group, and the number of stores in it. */
  readonly merged: readonly { readonly span: Span; readonly stores: number }[];
}

/**
 * Merges stores of a thread to neighbouring places, as far as they come right after each other, to
 * stores of 16 bytes. Ordered stores stay as they are. It presumes that the places are aligned.
 */
export function wideStores(module: Module): WideStores {
  const merged: { span: Span; stores: number }[] = [];
  const body = mergedIn(module.body, merged);
  return { module: merged.length === 0 ? module : { ...module, body }, merged };
}

/** A store whose place is known but for its base. */
interface PlacedStore {
  readonly index: number;
  readonly store: StoreStatement;
  readonly element: ScalarKind;
  /** The lanes, if it is a store of a vector. */
  readonly width: number;
  readonly base: string;
  readonly bytes: number;
}

function mergedIn(body: Body, merged: { span: Span; stores: number }[]): Body {
  const out: Statement[] = [];
  let group: PlacedStore[] = [];
  const close = (): void => {
    group = [];
  };
  for (const given of body) {
    const statement = withInner(given, merged);
    const placed = statement.kind === 'store' ? placedStore(statement, out.length) : undefined;
    if (placed === undefined) {
      // The earlier stores may move behind an assignment that they do not read.
      const moves = statement.kind === 'assign' && !bodyReads(group.map(({ store }) => store)).has(statement.local);
      if (!moves) close();
      out.push(statement);
      continue;
    }
    const last = group.at(-1);
    const follows =
      last !== undefined &&
      last.base === placed.base &&
      last.element === placed.element &&
      last.bytes + sizeOf(last) === placed.bytes;
    if (!follows) close();
    group.push(placed);
    out.push(placed.store);
    const bytes = group.reduce((sum, one) => sum + sizeOf(one), 0);
    if (bytes < WIDEST) continue;
    if (bytes === WIDEST && group.length > 1) {
      const wide = wideStore(group);
      for (const { index } of group.toReversed()) out.splice(index, 1);
      out.push(wide);
      merged.push({ span: wide.span, stores: group.length });
    }
    close();
  }
  return Object.freeze(out);
}

/** A statement in whose bodies stores are merged. A call is an instruction of its own. */
function withInner(statement: Statement, merged: { span: Span; stores: number }[]): Statement {
  if (statement.kind === 'call') return statement;
  return mapStatementParts(statement, {
    expression: (expression) => expression,
    target: (local) => local,
    body: (inner) => mergedIn(inner, merged),
  });
}

function wideStore(group: readonly PlacedStore[]): StoreStatement {
  const first = at(group, 0);
  const type = vectorType(first.element, WIDEST / scalarInfo[first.element].bytes);
  const values = group.flatMap(({ store: { value } }) => (value.kind === 'vector' ? value.elements : [value]));
  const { span } = at(group, group.length - 1).store;
  return Object.freeze({
    kind: 'store',
    span,
    pointer: pointerCast(type, first.store.pointer),
    value: vector(type, values),
  });
}

function sizeOf({ element, width }: PlacedStore): number {
  return width * scalarInfo[element].bytes;
}

function placedStore(store: StoreStatement, index: number): PlacedStore | undefined {
  const { pointer, value, access, broadcast } = store;
  const { type } = pointer;
  if (access !== undefined || broadcast === true || type.kind !== 'pointer' || type.space !== 'global')
    return undefined;
  const { element: stored } = type;
  if (stored.kind !== 'scalar' && !(stored.kind === 'vector' && value.kind === 'vector')) return undefined;
  const element = stored.kind === 'scalar' ? stored.scalar : stored.element;
  const width = stored.kind === 'scalar' ? 1 : stored.width;
  const size = width * scalarInfo[element].bytes;
  if (size >= WIDEST || WIDEST % size !== 0 || scalarInfo[element].class === 'bool') return undefined;
  return { index, store, element, width, ...placeOf(pointer, size) };
}

/** The base of an address as a text, and the bytes behind it. */
function placeOf(pointer: Expression, size: number): { readonly base: string; readonly bytes: number } {
  switch (pointer.kind) {
    case 'pointerOffset': {
      const [base, more] = parted(pointer.index);
      return { base: `${textOf(pointer.pointer)}[${base}]`, bytes: more * size };
    }
    case 'addressPointer': {
      const [base, bytes] = parted(pointer.address);
      return { base, bytes };
    }
    default:
      return { base: textOf(pointer), bytes: 0 };
  }
}

/** A number as a part that varies, and a constant that is added to it. */
function parted(value: Expression): readonly [string, number] {
  if (value.kind === 'constant') return ['', Number(value.value)];
  if (value.kind === 'binary' && value.op === 'add' && value.right.kind === 'constant') {
    const [base, more] = parted(value.left);
    return [base, more + Number(value.right.value)];
  }
  return [textOf(value), 0];
}

/** Equal texts are equal values at one point of the program. */
function textOf(expression: Expression): string {
  return JSON.stringify(expression, (key, value: unknown) => {
    if (key === 'span') return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });
}
