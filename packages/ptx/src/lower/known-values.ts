import { wordTable } from '@nccl-ts/core';
import type { PtxBody, PtxInstruction, PtxItem, PtxOperand, PtxType } from '../syntax/module.ts';
import { bytesOf, isPtxType, setBy, spaceOf, typesOf, widthOf } from './instruction-parts.ts';
import type { ParamRanges } from './param-ranges.ts';
import { reachable } from './reachable.ts';

/**
 * Folds known parameters. Registers with one known value become numbers, and branches on them are
 * decided.
 */
export function foldKnown(
  body: PtxBody,
  known: ReadonlyMap<number, bigint>,
  ranges: ParamRanges,
  offsets: ReadonlyMap<string, { readonly offset: number }>,
): PtxBody {
  return known.size === 0 ? body : fold(body, (item) => loaded(item, known, ranges, offsets));
}

/** Folds the numbers in the body itself. */
export function foldNumbers(body: PtxBody): PtxBody {
  return fold(body, () => undefined);
}

/**
 * Removing a side of a decided branch may leave a register with only one value, so this repeats
 * until nothing changes.
 */
function fold(body: PtxBody, loadedBy: (item: PtxInstruction) => bigint | undefined): PtxBody {
  let folded = reachable(foldOnce(body, loadedBy));
  for (let before = body.items.length; folded.items.length < before;) {
    before = folded.items.length;
    folded = reachable(foldOnce(folded, loadedBy));
  }
  return folded;
}

function foldOnce(body: PtxBody, loadedBy: (item: PtxInstruction) => bigint | undefined): PtxBody {
  const items = body.items;
  const times = new Map<string, number>();
  for (const item of items) {
    if (item.kind === 'instruction') for (const name of setBy(item)) times.set(name, (times.get(name) ?? 0) + 1);
  }
  const values = new Map<string, bigint>();
  for (let before = -1; before !== values.size;) {
    before = values.size;
    for (const item of items) {
      if (item.kind === 'label' || item.guard !== undefined) continue;
      const [d] = item.operands;
      if (d?.kind !== 'register' || times.get(d.name) !== 1 || values.has(d.name)) continue;
      const value = loadedBy(item) ?? evaluate(item, values);
      if (value !== undefined) values.set(d.name, value);
    }
  }
  return { ...body, items: items.flatMap((item) => replaced(item, values, body)) };
}

/** The value of a `ld.param` of known bytes. */
function loaded(
  item: PtxInstruction,
  known: ReadonlyMap<number, bigint>,
  ranges: ParamRanges,
  offsets: ReadonlyMap<string, { readonly offset: number }>,
): bigint | undefined {
  const [type] = typesOf(item);
  const at = loadedParam(item, ranges, offsets);
  const value = at === undefined ? undefined : known.get(at);
  return value === undefined || type === undefined ? undefined : asType(value, type);
}

/** The byte of the entry's parameters from which an instruction loads one word. */
export function loadedParam(
  item: PtxInstruction,
  ranges: ParamRanges,
  offsets: ReadonlyMap<string, { readonly offset: number }>,
): number | undefined {
  const address = item.operands[1];
  if (item.words[0] !== 'ld' || spaceOf(item) !== 'param' || widthOf(item) !== 1) return undefined;
  const range = address === undefined ? undefined : ranges.of(address);
  const entry = range === undefined ? undefined : offsets.get(range.variable);
  return range === undefined || entry === undefined ? undefined : entry.offset + range.offset;
}

function asType(value: bigint, type: PtxType): bigint {
  const bits = bytesOf(type) * 8;
  return type.startsWith('s') ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

type Evaluate = (a: bigint, b: bigint, c: bigint) => bigint | boolean | undefined;

const operations: Readonly<Record<string, Evaluate>> = wordTable({
  mov: (a) => a,
  cvt: (a) => a,
  cvta: (a) => a,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => ~a,
  neg: (a) => -a,
  shl: (a, b) => (b > 63n ? 0n : a << b),
  shr: (a, b) => (b > 63n ? undefined : a >> b),
  mul: (a, b) => a * b,
  selp: (a, b, p) => (p === 0n ? b : a),
});

const comparisons: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = wordTable({
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lo: (a, b) => a < b,
  ls: (a, b) => a <= b,
  hi: (a, b) => a > b,
  hs: (a, b) => a >= b,
});

/** The value of an integer instruction whose operands are all known. */
function evaluate(item: PtxInstruction, values: ReadonlyMap<string, bigint>): bigint | undefined {
  const [opcode, first] = item.words;
  const types = typesOf(item);
  const [type] = types;
  if (type === undefined || types.some((one) => one.startsWith('f') || one.startsWith('bf'))) return undefined;
  const from = opcode === 'cvt' ? (types[1] ?? type) : type;
  const given: bigint[] = [];
  for (const operand of item.operands.slice(1)) {
    const value = valueOf(operand, values);
    if (value === undefined) return undefined;
    given.push(type === 'pred' || given.length >= 2 ? value : asType(value, from));
  }
  const [a = 0n, b = 0n, c = 0n] = given;
  if (opcode === 'setp') {
    const compare = first === undefined ? undefined : comparisons[first];
    return compare === undefined || item.words.length !== 3 ? undefined : BigInt(compare(a, b));
  }
  const operation = operations[opcode];
  const isPlain = item.words.every(
    (word, index) => index === 0 || isPtxType(word) || word === 'lo' || word === 'to' || word === 'global',
  );
  if (operation === undefined || !isPlain) return undefined;
  const result = operation(a, b, c);
  if (typeof result !== 'bigint') return undefined;
  return type === 'pred' ? result & 1n : asType(result, type);
}

function valueOf(operand: PtxOperand, values: ReadonlyMap<string, bigint>): bigint | undefined {
  if (operand.kind === 'integer') return operand.value;
  if (operand.kind !== 'register') return undefined;
  const value = values.get(operand.name);
  return value !== undefined && operand.isNegated ? (value === 0n ? 1n : 0n) : value;
}

function replaced(item: PtxItem, values: ReadonlyMap<string, bigint>, body: PtxBody): readonly PtxItem[] {
  if (item.kind === 'label') return [item];
  const { guard, ...rest } = item;
  const condition = guard === undefined ? undefined : values.get(guard.register);
  if (guard !== undefined && condition !== undefined && (condition !== 0n) === guard.isNegated) return [];
  const set = new Set(setBy(item));
  const isSet = [...set].some((name) => values.has(name));
  const operands = item.operands.map((operand, index): PtxOperand => {
    if (operand.kind !== 'register' || set.has(operand.name) || index === 0) return operand;
    const value = valueOf(operand, values);
    return value === undefined ? operand : { kind: 'integer', value };
  });
  const [d] = operands;
  const keepsGuard = guard !== undefined && condition === undefined;
  if (isSet && d?.kind === 'register') {
    const value = values.get(d.name);
    const type = body.registers.get(d.name);
    if (value !== undefined && type !== undefined) {
      return [{ ...rest, words: ['mov', type], operands: [d, { kind: 'integer', value }] }];
    }
  }
  return [{ ...rest, operands, ...(keepsGuard ? { guard } : {}) }];
}
