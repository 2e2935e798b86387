import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { elementScalar, typeName, type CallStatement, type IntrinsicExpression, type ValueType } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { cppType } from './cpp-type.ts';
import { emitExpression } from './emit-expression.ts';
import { bare } from './parentheses.ts';

/**
 * Calls on multicast addresses. Each is one PTX instruction, for which a portable body on a GPU is
 * impossible.
 */
const calls: Readonly<Record<string, (s: CallStatement, c: CudaEmitContext, into: string) => void>> = {
  'multimem.loadReduce': (s, c, into) =>
    c.line(`${into}${loadReduce(element(s), word(s, 'op', 'add'), c)}(${args(s, c)});`),
  'multimem.store': (s, c) => c.line(`${store(element(s), c)}(${args(s, c)});`),
  'multimem.reduce': (s, c) => c.line(`${reduce(element(s), word(s, 'op', 'add'), 'relaxed', c)}(${args(s, c)});`),
  multicastAdd: (s, c) => c.line(`${reduce(element(s), 'add', word(s, 'order', 'relaxed'), c)}(${args(s, c)});`),
};

/** True if `s` is emitted as an instruction instead of its body. */
export function isMultimemCall(s: CallStatement): boolean {
  return Object.hasOwn(calls, s.name);
}

/** Emits the call. `into` is `x = ` if the result is used. */
export function emitMultimemCall(s: CallStatement, c: CudaEmitContext, into: string): void {
  calls[s.name]?.(s, c, into);
}

/** Returns NCCL's own call for a multicast address over the LSA team. */
export function nativeMultimemPointer(e: IntrinsicExpression, c: CudaEmitContext): string | undefined {
  if (e.name !== 'multimem.lsaPointer') return undefined;
  c.ncclIncludes.add('nccl_device/impl/core__funcs.h');
  const given = e.args.map((arg) => bare(emitExpression(arg, c))).join(', ');
  return `static_cast<${cppType(e.type)}>(ncclGetLsaMultimemPointer(${given}))`;
}

/** PTX's name for the elements of a type, and the registers of one value. */
interface Format {
  /**
   * `f16x2`, for example. For integers it is the width, because their letter depends on the
   * operation.
   */
  readonly type: string;
  readonly constraint: 'r' | 'l' | 'f' | 'd';
  readonly registers: number;
  /** The accumulator of sums, if it is wider than the elements. */
  readonly accumulator: '' | '.acc::f32' | '.acc::f16';
}

/**
 * By element: the content of a register, and the number of its elements. They come from the tables
 * of PTX's `multimem`. The CUDA compiler rejects combinations that these lack.
 */
const formats: Readonly<Partial<Record<ScalarKind, Omit<Format, 'registers'> & { readonly packed: number }>>> = {
  i32: { type: '32', constraint: 'r', packed: 1, accumulator: '' },
  u32: { type: '32', constraint: 'r', packed: 1, accumulator: '' },
  i64: { type: '64', constraint: 'l', packed: 1, accumulator: '' },
  u64: { type: '64', constraint: 'l', packed: 1, accumulator: '' },
  f32: { type: 'f32', constraint: 'f', packed: 1, accumulator: '' },
  f64: { type: 'f64', constraint: 'd', packed: 1, accumulator: '' },
  f16: { type: 'f16x2', constraint: 'r', packed: 2, accumulator: '.acc::f32' },
  bf16: { type: 'bf16x2', constraint: 'r', packed: 2, accumulator: '.acc::f32' },
  e4m3: { type: 'e4m3x4', constraint: 'r', packed: 4, accumulator: '.acc::f16' },
  e5m2: { type: 'e5m2x4', constraint: 'r', packed: 4, accumulator: '.acc::f16' },
};

const registerTypes: Readonly<Record<Format['constraint'], string>> = {
  r: 'unsigned int',
  l: 'unsigned long long',
  f: 'float',
  d: 'double',
};

function formatOf(type: ValueType): Format {
  const known = formats[elementScalar(type)];
  if (known === undefined)
    throw new NcclError('NCCL_INTERNAL_ERROR', `PTX has no multimem instruction for ${typeName(type)}.`);
  const { packed, ...format } = known;
  return { ...format, registers: (type.kind === 'vector' ? type.width : 1) / packed };
}

/**
 * `u32`, `s64` or `b32`. Integers have a sign where it matters. 64-bit sums exist only without a
 * sign.
 */
function integerType(kind: ScalarKind, bits: string, op: string): string {
  if (op === 'and' || op === 'or' || op === 'xor' || op === 'st') return `b${bits}`;
  return kind.startsWith('i') && !(op === 'add' && bits === '64') ? `s${bits}` : `u${bits}`;
}

/** Returns the end of an instruction's name, such as `.v4.bf16x2`. */
function suffix(type: ValueType, op: string): string {
  const { type: text, registers: count } = formatOf(type);
  const named = /^\d/.test(text) ? integerType(elementScalar(type), text, op) : text;
  return `${count === 1 ? '' : `.v${count}`}.${named}`;
}

/** Returns `%0`, or `{%0, %1}`, starting at register number `first`. */
function operands(count: number, first: number): string {
  const names = Array.from({ length: count }, (_, i) => `%${first + i}`).join(', ');
  return count === 1 ? names : `{${names}}`;
}

function registers({ registers: count, constraint }: Format, assign: '' | '='): string {
  return Array.from({ length: count }, (_, i) => `"${assign}${constraint}"(w[${i}])`).join(', ');
}

const address = '"l"(__cvta_generic_to_global(p))';

function loadReduce(type: ValueType, op: string, c: CudaEmitContext): string {
  const format = formatOf(type);
  const accumulator = op === 'add' ? format.accumulator : '';
  const instruction = `multimem.ld_reduce.relaxed.sys.global.${op}${accumulator}${suffix(type, op)}`;
  const count = format.registers;
  return define(`multimem_load_reduce_${op}`, type, c, (name) => [
    `__device__ __forceinline__ ${cppType(type)} ${name}(${cppType(type)}* p) {`,
    `  ${registerTypes[format.constraint]} w[${count}];`,
    `  asm volatile("${instruction} ${operands(count, 0)}, [%${count}];" : ${registers(format, '=')} : ${address} : "memory");`,
    `  return bitcast<${cppType(type)}>(w);`,
    '}',
  ]);
}

function store(type: ValueType, c: CudaEmitContext): string {
  const instruction = `multimem.st.relaxed.sys.global${suffix(type, 'st')}`;
  return define('multimem_store', type, c, (name) => update(name, instruction, type));
}

function reduce(type: ValueType, op: string, order: string, c: CudaEmitContext): string {
  const instruction = `multimem.red.${order}.sys.global.${op}${suffix(type, op)}`;
  const stem = `multimem_reduce_${op}${order === 'relaxed' ? '' : `_${order}`}`;
  return define(stem, type, c, (name) => update(name, instruction, type));
}

/** Defines a function that passes a value to `instruction`. */
function update(name: string, instruction: string, type: ValueType): readonly string[] {
  const format = formatOf(type);
  return [
    `__device__ __forceinline__ void ${name}(${cppType(type)}* p, ${cppType(type)} x) {`,
    `  ${registerTypes[format.constraint]} w[${format.registers}];`,
    '  memcpy(w, &x, sizeof(w));',
    `  asm volatile("${instruction} [%0], ${operands(format.registers, 1)};" : : ${address}, ${registers(format, '')} : "memory");`,
    '}',
  ];
}

/** Declares a helper function in the kernel, once for each type, and returns its name. */
function define(stem: string, type: ValueType, c: CudaEmitContext, text: (name: string) => readonly string[]): string {
  const name = `${stem}_${elementScalar(type)}${type.kind === 'vector' ? `x${type.width}` : ''}`;
  c.use('bitcast');
  if (!c.functions.has(name)) c.functions.set(name, text(name).join('\n'));
  return `nts::${name}`;
}

function element(s: CallStatement): ValueType {
  const [pointer] = s.args;
  if (pointer?.type.kind === 'pointer') return pointer.type.element;
  throw new NcclError('NCCL_INTERNAL_ERROR', `${s.name} has no pointer.`);
}

/** Returns the pointer, and then the value if there is one. */
function args(s: CallStatement, c: CudaEmitContext): string {
  return s.args.map((arg) => bare(emitExpression(arg, c))).join(', ');
}

function word(s: CallStatement, name: string, otherwise: string): string {
  const found = s.statics.find((part) => part.kind === 'word' && part.name === name);
  return found?.kind === 'word' ? found.word : otherwise;
}
