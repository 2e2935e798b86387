import { NcclError, WARP_SIZE } from '@nccl-ts/core';
import { dispatchExpression, type Builtin, type Expression, type ExpressionTable } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { cppScalar, cppType, useType } from './cpp-type.ts';
import { convertText } from './emit-convert.ts';
import { binaryText, compareText, mathText, unaryText, type UsePrelude } from './emit-operation.ts';
import { fieldText } from './field.ts';
import { literal } from './literal.ts';
import { lsaAddress } from './lsa-address.ts';
import { bare } from './parentheses.ts';
import { nativeExpression } from './native-lsa.ts';
import { nativeMultimemPointer } from './native-multimem.ts';

/** Returns the text of a value: an atom, a call, or a parenthesized expression. */
export function emitExpression(e: Expression, c: CudaEmitContext): string {
  useType(e.type, c);
  return dispatchExpression(table, e, c);
}

const use =
  (c: CudaEmitContext): UsePrelude =>
  (part) =>
    c.use(part);

const builtins: Readonly<Record<Builtin, string>> = {
  'threadIdx.x': 'threadIdx.x',
  'threadIdx.y': 'threadIdx.y',
  'threadIdx.z': 'threadIdx.z',
  'blockIdx.x': 'blockIdx.x',
  'blockIdx.y': 'blockIdx.y',
  'blockIdx.z': 'blockIdx.z',
  'blockDim.x': 'blockDim.x',
  'blockDim.y': 'blockDim.y',
  'blockDim.z': 'blockDim.z',
  'gridDim.x': 'gridDim.x',
  'gridDim.y': 'gridDim.y',
  'gridDim.z': 'gridDim.z',
  threadLinear: 'nts::thread_linear()',
  blockThreads: '(blockDim.x * blockDim.y * blockDim.z)',
  laneId: 'nts::lane_id()',
  warpSize: `${WARP_SIZE}u`,
};

function name(names: readonly string[], index: number): string {
  const found = names[index];
  if (found === undefined)
    throw new NcclError('NCCL_INTERNAL_ERROR', 'An expression names something that the module does not declare.');
  return found;
}

/** Applies `scalar` to one or two values, element by element for vectors. */
function elementwise(
  e: Expression,
  args: readonly Expression[],
  c: CudaEmitContext,
  scalar: (...texts: string[]) => string,
): string {
  const texts = args.map((arg) => emitExpression(arg, c));
  if (e.type.kind !== 'vector') return scalar(...texts);
  const elements = args.map((arg) => (arg.type.kind === 'vector' ? cppScalar(arg.type.element) : cppType(arg.type)));
  c.use('vec');
  const [a = 'x', b = 'y'] = texts;
  if (args.length === 1) return `nts::map(${a}, [](${elements[0]} x) { return ${scalar('x')}; })`;
  if (args.length === 2)
    return `nts::zip(${a}, ${b}, [](${elements[0]} x, ${elements[1]} y) { return ${scalar('x', 'y')}; })`;
  const width = e.type.width;
  const lanes = Array.from({ length: width }, (_, i) => scalar(...texts.map((text) => `${text}.v[${i}]`)));
  return `${cppType(e.type)}{{${lanes.join(', ')}}}`;
}

function kindOf(e: Expression): Parameters<typeof cppScalar>[0] {
  if (e.type.kind === 'scalar') return e.type.scalar;
  if (e.type.kind === 'vector') return e.type.element;
  throw new NcclError('NCCL_INTERNAL_ERROR', `A ${e.type.kind} is used as a number.`);
}

const table: ExpressionTable<CudaEmitContext, string> = {
  constant: (e) => literal(e.type.scalar, e.value),
  local: (e, c) => name(c.locals, e.local),
  param: (e, c) => name(c.params, e.param),
  array: (e, c) => name(c.arrays, e.array),
  builtin: (e, c) => {
    if (e.builtin === 'threadLinear' || e.builtin === 'laneId') c.use('place');
    return builtins[e.builtin];
  },
  field: (e, c) => {
    const text = fieldText(e, emitExpression(e.base, c), c);
    // Read once, because the compiler must assume that stores through the kernel's pointers change
    // it.
    return e.base.kind === 'param'
      ? c.constant(`${c.params[e.base.param]}_${e.field}`, `const ${cppType(e.type)}`, text)
      : text;
  },
  unary: (e, c) => elementwise(e, [e.operand], c, (a = '0') => unaryText(e.op, kindOf(e.operand), a, use(c))),
  binary: (e, c) =>
    elementwise(e, [e.left, e.right], c, (a = '0', b = '0') => binaryText(e.op, kindOf(e.left), a, b, use(c))),
  compare: (e, c) => {
    const kind = e.left.type.kind === 'scalar' ? e.left.type.scalar : undefined;
    return compareText(e.op, kind, emitExpression(e.left, c), emitExpression(e.right, c), use(c));
  },
  logical: (e, c) => `(${emitExpression(e.left, c)} ${e.op === 'and' ? '&&' : '||'} ${emitExpression(e.right, c)})`,
  select: (e, c) => `(${emitExpression(e.condition, c)} ? ${emitExpression(e.then, c)} : ${emitExpression(e.else, c)})`,
  convert: (e, c) => {
    if (e.operand.type.kind === 'pointer') {
      const address = `reinterpret_cast<unsigned long long>(${emitExpression(e.operand, c)})`;
      return kindOf(e) === 'u64' ? address : `(unsigned int)${address}`;
    }
    return elementwise(e, [e.operand], c, (a = '0') => convertText(kindOf(e.operand), kindOf(e), a, use(c)));
  },
  bitcast: (e, c) => {
    c.use('bitcast');
    return `nts::bitcast<${cppType(e.type)}>(${emitExpression(e.operand, c)})`;
  },
  math: (e, c) => elementwise(e, e.args, c, (...args) => mathText(e.function, kindOf(e), args, use(c))),
  vector: (e, c) => {
    c.use('vec');
    const [first] = e.elements;
    if (e.elements.length === 1 && first !== undefined) {
      return `nts::splat<${cppScalar(e.type.element)}, ${e.type.width}>(${emitExpression(first, c)})`;
    }
    return `${cppType(e.type)}{{${e.elements.map((element) => emitExpression(element, c)).join(', ')}}}`;
  },
  lane: (e, c) => {
    c.use('vec');
    const vector = emitExpression(e.vector, c);
    return e.index.kind === 'constant'
      ? `${vector}.v[${Number(e.index.value)}]`
      : `nts::lane(${vector}, ${emitExpression(e.index, c)})`;
  },
  withLane: (e, c) => {
    c.use('vec');
    return `nts::with_lane(${emitExpression(e.vector, c)}, ${emitExpression(e.index, c)}, ${emitExpression(e.value, c)})`;
  },
  windowPointer: (e, c) => lsaAddress(e.window, e.offset, e.peer, e.type, c),
  addressPointer: (e, c) => `reinterpret_cast<${cppType(e.type)}>(${emitExpression(e.address, c)})`,
  multicastPointer: (e, c) => {
    c.ncclIncludes.add('nccl_device/impl/core__funcs.h');
    const [window, offset, group] = [e.window, e.offset, e.group].map((part) => bare(emitExpression(part, c)));
    const handle = `ncclMultimemHandle{reinterpret_cast<void*>(${group})}`;
    return `static_cast<${cppType(e.type)}>(ncclGetMultimemPointer(${window}, ${offset}, ${handle}))`;
  },
  unicastPointer: onlyInstructions,
  multicastSize: onlyInstructions,
  clusterPointer: () => {
    throw new NcclError('NCCLTS_NOT_SUPPORTED', 'The CUDA text of kernels with clusters is not supported.');
  },
  pointerOffset: (e, c) => `(${emitExpression(e.pointer, c)} + ${emitExpression(e.index, c)})`,
  pointerCast: (e, c) => `reinterpret_cast<${cppType(e.type)}>(${emitExpression(e.pointer, c)})`,
  intrinsic: (e, c) => nativeExpression(e, c) ?? nativeMultimemPointer(e, c) ?? emitExpression(e.expansion, c),
};

function onlyInstructions(): string {
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    'A GPU cannot list the copies of a multicast address: on CUDA only multimem.* works on such addresses.',
  );
}
