import { NcclError } from '@nccl-ts/core';
import {
  dispatchExpression,
  mayFault,
  readLocals,
  valueBytes,
  walkExpression,
  type BinaryExpression,
  type Builtin,
  type Expression,
  type ExpressionTable,
  type FieldExpression,
  type SelectExpression,
  type LogicalExpression,
  type ValueType,
} from '@nccl-ts/ir';
import {
  binaryText,
  compareText,
  convertText,
  fromBitsText,
  literalText,
  mathText,
  unaryText,
} from './arithmetic/index.ts';
import type { WgslEmitContext } from './context.ts';
import { emitAddress } from './emit-address.ts';
import { devCommHeadWords, devCommLayout, header, windowHead } from './launch-record.ts';
import { valueWords, wgslType } from './value-type.ts';
import { binaryOf, convertOf, laneOf, mathOf, packed, splat, unaryOf, unpacked, withLaneOf } from './vectors.ts';

/**
 * Returns the value of `e` as WGSL, either an atom or in parentheses. It may emit lines that must
 * precede the statement.
 */
export function emitExpression(e: Expression, c: WgslEmitContext): string {
  return c.at(e, () => dispatchExpression(table, e, c));
}

/** Returns word `at` of the launch record. */
export function recordWord(at: number): string {
  return `nts_record[nts_base + ${at}u]`;
}

function valueType(e: Expression): ValueType {
  if (e.type.kind === 'scalar' || e.type.kind === 'vector') return e.type;
  throw new NcclError('NCCL_INTERNAL_ERROR', `Expected a value, not a ${e.type.kind}.`);
}

function scalarKind(e: Expression): Extract<ValueType, { kind: 'scalar' }>['scalar'] {
  const type = valueType(e);
  return type.kind === 'scalar' ? type.scalar : type.element;
}

/** Returns an index as a u32 whose arithmetic wraps. */
function asWord(e: Expression, c: WgslEmitContext): string {
  const text = emitExpression(e, c);
  switch (wgslType(e.type)) {
    case 'i32':
      return `bitcast<u32>(${text})`;
    case 'vec2u':
      return `(${text}).x`;
    default:
      return text;
  }
}

const builtins: Readonly<Record<Builtin, string | undefined>> = {
  'threadIdx.x': undefined,
  'threadIdx.y': undefined,
  'threadIdx.z': undefined,
  'blockIdx.x': `(nts_cta % ${recordWord(header.gridX)})`,
  'blockIdx.y': `((nts_cta / ${recordWord(header.gridX)}) % ${recordWord(header.gridY)})`,
  'blockIdx.z': `(nts_cta / (${recordWord(header.gridX)} * ${recordWord(header.gridY)}))`,
  'blockDim.x': undefined,
  'blockDim.y': undefined,
  'blockDim.z': undefined,
  'gridDim.x': recordWord(header.gridX),
  'gridDim.y': recordWord(header.gridY),
  'gridDim.z': recordWord(header.gridZ),
  threadLinear: 'nts_thread',
  blockThreads: undefined,
  laneId: '(nts_thread & 31u)',
  warpSize: '32u',
};

function builtinText(builtin: Builtin, c: WgslEmitContext): string {
  const known = builtins[builtin];
  if (known !== undefined) return known;
  const { x, y, z } = c.facts.options.blockDim;
  switch (builtin) {
    case 'threadIdx.x':
      return y === 1 && z === 1 ? 'nts_thread' : `(nts_thread % ${x}u)`;
    case 'threadIdx.y':
      return y === 1 ? '0u' : `((nts_thread / ${x}u) % ${y}u)`;
    case 'threadIdx.z':
      return z === 1 ? '0u' : `(nts_thread / ${x * y}u)`;
    case 'blockDim.x':
      return `${x}u`;
    case 'blockDim.y':
      return `${y}u`;
    case 'blockDim.z':
      return `${z}u`;
    case 'blockIdx.x':
    case 'blockIdx.y':
    case 'blockIdx.z':
    case 'blockThreads':
    case 'gridDim.x':
    case 'gridDim.y':
    case 'gridDim.z':
    case 'laneId':
    case 'threadLinear':
    case 'warpSize':
      return `${x * y * z}u`;
  }
}

function paramText(index: number, c: WgslEmitContext): string {
  const param = c.facts.record.params[index];
  if (param === undefined) throw new RangeError(`The module has no parameter ${index}.`);
  const { type, at } = param;
  switch (type.kind) {
    case 'scalar':
      return fromBitsText(
        type.scalar,
        valueWords(type) === 2 ? `vec2u(${recordWord(at)}, ${recordWord(at + 1)})` : recordWord(at),
        c.arithmetic,
      );
    case 'vector': {
      const words = Array.from({ length: valueWords(type) }, (_, i) => recordWord(at + i));
      const raw = words.length === 1 ? recordWord(at) : `vec${words.length}u(${words.join(', ')})`;
      return unpacked(type, raw, c);
    }
    case 'pointer':
      return c.checks ? `vec2u(${recordWord(at)}, nts_base + ${at + 1}u)` : recordWord(at);
    case 'handle':
      return `(nts_base + ${at}u)`;
  }
}

function fieldText(e: FieldExpression, c: WgslEmitContext): string {
  const base = emitExpression(e.base, c);
  if (e.type.kind === 'handle') return `(${base} + ${devCommHeadWords}u)`;
  const handle = e.base.type.kind === 'handle' ? e.base.type.name : '';
  if (handle === 'Window') {
    const at = e.field === 'lsaRank' ? windowHead.lsaRank : windowHead.worldRank;
    return `bitcast<i32>(nts_record[${base} + ${at}u])`;
  }
  const entry = devCommLayout.get(e.field);
  if (entry === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A device communicator has no field ${e.field}.`);
  const word = (i: number): string => `nts_record[${base} + ${entry.at + i}u]`;
  const bits = entry.kind === 'addr' ? `vec2u(${word(0)}, ${word(1)})` : word(0);
  return fromBitsText(entry.kind, bits, c.arithmetic);
}

function binary(e: BinaryExpression, c: WgslEmitContext): string {
  const [a, b] = [emitExpression(e.left, c), emitExpression(e.right, c)];
  const type = valueType(e);
  return type.kind === 'vector' ? binaryOf(e.op, type, a, b, c) : binaryText(e.op, type.scalar, a, b, c.arithmetic);
}

/**
 * WGSL's `select` evaluates both sides. If one of them may fault, a branch before the statement
 * chooses.
 */
function select(e: SelectExpression, c: WgslEmitContext): string {
  const condition = emitExpression(e.condition, c);
  const type = wgslType(e.type);
  if (!mayFault(e.then) && !mayFault(e.else) && !type.startsWith('array')) {
    return `select(${emitExpression(e.else, c)}, ${emitExpression(e.then, c)}, ${condition})`;
  }
  const name = c.temporary();
  c.line(`var ${name}: ${type};`);
  c.choose(
    condition,
    () => c.line(`${name} = ${emitExpression(e.then, c)};`),
    () => c.line(`${name} = ${emitExpression(e.else, c)};`),
  );
  return name;
}

/** The lines that the right side needs must not run if the left side decides the result. */
function logical(e: LogicalExpression, c: WgslEmitContext): string {
  const left = emitExpression(e.left, c);
  if (!mayFault(e.right) && !chooses(e.right)) {
    // Both sides are pure. `&&` and `||` would become branches with an `else`: see
    // `WgslEmitContext.choose`.
    return `(${left} ${e.op === 'and' ? '&' : '|'} ${emitExpression(e.right, c)})`;
  }
  const name = c.temporary();
  c.line(`var ${name} = ${left};`);
  c.block(`if (${e.op === 'and' ? name : `!${name}`}) {`, () => c.line(`${name} = ${emitExpression(e.right, c)};`));
  return name;
}

/** True if `e` contains a `select` of vectors, which needs its own lines. */
function chooses(e: Expression): boolean {
  return e.kind === 'select' ? wgslType(e.type).startsWith('array') : false;
}

/**
 * True if `e` is the same for all threads of a CTA at any place, so that it may be computed once,
 * and earlier.
 */
function isFixed(e: Expression): boolean {
  if (readLocals(e).size > 0) return false;
  let fixed = true;
  walkExpression(e, (inner) => {
    fixed &&= inner.kind !== 'builtin' || inner.builtin.startsWith('block') || inner.builtin.startsWith('grid');
    fixed &&= inner === e || !mayFault(inner) || isAddress(inner);
  });
  return fixed;
}

/** True for expressions that `emitAddress` computes without a fault. */
function isAddress(e: Expression): boolean {
  return e.type.kind === 'scalar' && e.type.scalar === 'addr';
}

function repeated(
  type: Extract<ValueType, { kind: 'vector' }>,
  elements: readonly Expression[],
  c: WgslEmitContext,
): string {
  const [only] = elements;
  if (elements.length === 1 && only !== undefined) return splat(type, emitExpression(only, c), c);
  return `${wgslType(type)}(${elements.map((one) => emitExpression(one, c)).join(', ')})`;
}

const table: ExpressionTable<WgslEmitContext, string> = {
  constant: (e) => literalText(e.type.scalar, e.value),
  local: (e, c) => c.local(e.local),
  param: (e, c) => paramText(e.param, c),
  array: (e, c) => {
    const layout = c.facts.arrays.layouts[e.array];
    if (layout === undefined) throw new RangeError(`The module has no array ${e.array}.`);
    return c.checks ? `vec2u(${layout.low}u, ${layout.region}u)` : `${layout.low}u`;
  },
  builtin: (e, c) => builtinText(e.builtin, c),
  field: fieldText,
  unary: (e, c) => {
    const type = valueType(e);
    const operand = emitExpression(e.operand, c);
    return type.kind === 'vector'
      ? unaryOf(e.op, type, operand, c)
      : unaryText(e.op, type.scalar, operand, c.arithmetic);
  },
  binary,
  compare: (e, c) => {
    const [a, b] = [emitExpression(e.left, c), emitExpression(e.right, c)];
    if (e.left.type.kind !== 'pointer') return compareText(e.op, scalarKind(e.left), a, b, c.arithmetic);
    return compareText(e.op, 'u32', c.memory.address(a), c.memory.address(b), c.arithmetic);
  },
  logical,
  select,
  convert: (e, c) => {
    const operand = emitExpression(e.operand, c);
    if (e.operand.type.kind === 'pointer') return c.checks ? `${operand}.x` : operand;
    const from = valueType(e.operand);
    if (e.type.kind === 'vector' && from.kind === 'vector') return convertOf(from, e.type, operand, c);
    return convertText(scalarKind(e.operand), scalarKind(e), operand, c.arithmetic);
  },
  bitcast: (e, c) => unpacked(e.type, packed(valueType(e.operand), emitExpression(e.operand, c), c), c),
  math: (e, c) => {
    const args = e.args.map((arg) => emitExpression(arg, c));
    const type = valueType(e);
    return type.kind === 'vector'
      ? mathOf(e.function, type, args, c)
      : mathText(e.function, type.scalar, args, c.arithmetic);
  },
  vector: (e, c) => repeated(e.type, e.elements, c),
  lane: (e, c) => {
    const type = valueType(e.vector);
    if (type.kind !== 'vector') throw new NcclError('NCCL_INTERNAL_ERROR', 'Only vectors have elements.');
    const vector = emitExpression(e.vector, c);
    if (e.index.kind === 'constant' && Number(e.index.value) >= 0 && Number(e.index.value) < type.width)
      return `${vector}[${Number(e.index.value)}]`;
    return laneOf(type, vector, asWord(e.index, c), c);
  },
  withLane: (e, c) =>
    withLaneOf(e.type, emitExpression(e.vector, c), asWord(e.index, c), emitExpression(e.value, c), c),
  windowPointer: (e, c) => {
    const text = (): string => {
      const [window, peer, offset] = [emitExpression(e.window, c), emitExpression(e.peer, c), emitAddress(e.offset, c)];
      return `nts_window_pointer(${window}, ${peer}, ${offset})`;
    };
    return isFixed(e) ? c.atHead(text) : text();
  },
  addressPointer: () => {
    throw new NcclError('NCCL_INTERNAL_ERROR', 'WebGPU has no device addresses.');
  },
  multicastPointer: noMultimem,
  unicastPointer: noMultimem,
  multicastSize: noMultimem,
  clusterPointer: () => {
    throw new NcclError('NCCLTS_NOT_SUPPORTED', 'WebGPU has no clusters of CTAs.');
  },
  pointerOffset: (e, c) => {
    const pointer = emitExpression(e.pointer, c);
    const bytes = `${asWord(e.index, c)} * ${valueBytes(e.type.element)}u`;
    return c.checks ? `nts_offset(${pointer}, ${bytes})` : `(${pointer} + ${bytes})`;
  },
  pointerCast: (e, c) => emitExpression(e.pointer, c),
  intrinsic: (e, c) => emitExpression(e.expansion, c),
};

/** Throws, because validation should have rejected it. */
function noMultimem(): string {
  throw new NcclError('NCCL_INTERNAL_ERROR', 'WebGPU has no multicast addresses.');
}
