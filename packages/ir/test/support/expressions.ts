import { scalarKinds, type ScalarKind } from '@nccl-ts/core';
import {
  array,
  binary,
  bitcast,
  builtin,
  compare,
  constant,
  convert,
  field,
  hasBinary,
  hasBitcast,
  hasCompare,
  hasConvert,
  hasMath,
  hasUnary,
  intrinsic,
  lane,
  local,
  logical,
  math,
  mathArity,
  param,
  pointerCast,
  pointerOffset,
  sameType,
  scalarType,
  select,
  unary,
  valueBytes,
  vector,
  vectorType,
  multicastPointer,
  multicastSize,
  unicastPointer,
  windowPointer,
  withLane,
  type Builtin,
  type Coop,
  type Expression,
  type Local,
  type PointerType,
  type Static,
  type Type,
  type ValueType,
  type VectorType,
} from '@nccl-ts/ir';
import type { Choices } from './choices.ts';
import { arrays, devComm, params, scalarValue, span, valueTypes, vectorTypes, window } from './vocabulary.ts';

/** The parts that expressions are made of. */
export interface ExpressionSource {
  readonly choices: Choices;
  readonly locals: readonly Local[];
}

const unaryOps = ['neg', 'not', 'bitNot', 'popcount', 'clz', 'ctz'] as const;
const binaryOps = ['add', 'sub', 'mul', 'div', 'rem', 'and', 'or', 'xor', 'shl', 'shr', 'min', 'max'] as const;
const compareOps = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;
const mathNames = ['abs', 'fma', 'sqrt', 'floor', 'ceil', 'round', 'trunc', 'rsqrt', 'exp2', 'pow'] as const;
const builtins: readonly Builtin[] = ['blockIdx.x', 'threadIdx.x', 'laneId', 'gridDim.z', 'threadLinear', 'warpSize'];

type Make = () => Expression;

/** A well-typed expression of `type`. */
export function expression(from: ExpressionSource, type: Type, depth: number): Expression {
  const { choices } = from;
  const leafOptions = leaves(from, type);
  const options = depth <= 0 || choices.spent ? leafOptions : [...leafOptions, ...nodes(from, type, depth - 1)];
  return choices.of(options)();
}

/** Adds a span to some of the nodes. */
function spans(from: ExpressionSource): ReturnType<typeof span> | undefined {
  return from.choices.oneIn(4) ? span(from.choices) : undefined;
}

function leaves(from: ExpressionSource, type: Type): readonly Make[] {
  const { choices } = from;
  const options: Make[] = [];
  if (type.kind === 'scalar') {
    options.push(() => constant(type.scalar, scalarValue(choices, type.scalar), spans(from)));
  } else if (type.kind === 'vector') {
    options.push(() => vector(type, [constant(type.element, scalarValue(choices, type.element))], spans(from)));
  }
  from.locals.forEach((declared, id) => {
    if (sameType(declared.type, type)) options.push(() => local(id, type, spans(from)));
  });
  params.forEach((declared, index) => {
    if (sameType(declared.type, type)) options.push(() => param(index, type, spans(from)));
  });
  if (sameType(type, scalarType('u32'))) options.push(() => builtin(choices.of(builtins), spans(from)));
  return options;
}

function nodes(from: ExpressionSource, type: Type, depth: number): readonly Make[] {
  const { choices } = from;
  const make = (of: Type): Expression => expression(from, of, depth);
  const bool = scalarType('bool');
  const options: Make[] = [
    () => select(make(bool), make(type), make(type), spans(from)),
    () => wrapped(from, make(type)),
  ];
  if (type.kind === 'pointer') return [...options, ...pointerNodes(from, type, make)];
  if (type.kind === 'handle') return options;
  return [
    ...options,
    ...valueNodes(from, type, make),
    ...(type.kind === 'scalar' ? scalarNodes(from, type.scalar, make) : vectorNodes(from, type, make)),
  ];

  function index(): Expression {
    return constant(choices.of(['u32', 'i32']), choices.below(4));
  }

  function vectorNodes(_: ExpressionSource, of: VectorType, makeOf: (of: Type) => Expression): readonly Make[] {
    const element = scalarType(of.element);
    return [
      () =>
        vector(
          of,
          Array.from({ length: of.width }, () => makeOf(element)),
          spans(from),
        ),
      () => vector(of, [makeOf(element)], spans(from)),
      () => withLane(makeOf(of), of.width > 3 ? index() : constant('u32', 1), makeOf(element), spans(from)),
    ];
  }
}

/** The operations that both scalars and vectors have. */
function valueNodes(from: ExpressionSource, type: ValueType, make: (of: Type) => Expression): readonly Make[] {
  const { choices } = from;
  const kind = type.kind === 'scalar' ? type.scalar : type.element;
  const options: Make[] = [];
  for (const op of unaryOps) {
    if (hasUnary(op, kind) && (op !== 'not' || type.kind === 'scalar')) {
      options.push(() => unary(op, make(type), spans(from)));
    }
  }
  for (const op of binaryOps) {
    if (hasBinary(op, kind)) options.push(() => binary(op, make(type), make(type), spans(from)));
  }
  for (const name of mathNames) {
    if (hasMath(name, kind)) {
      options.push(() =>
        math(
          name,
          Array.from({ length: mathArity[name] }, () => make(type)),
          spans(from),
        ),
      );
    }
  }
  options.push(() => {
    const sources = scalarKinds.filter((scalar) => hasConvert(scalar, kind));
    const source = choices.of(sources);
    const width = type.kind === 'vector' ? type.width : 0;
    const from16 = width > 0 && valueBytes(vectorType(source, width)) > 16;
    const operand = width === 0 ? scalarType(source) : from16 ? type : vectorType(source, width);
    return convert(type, make(operand), spans(from));
  });
  const sameSize = valueTypes.filter((other) => valueBytes(other) === valueBytes(type) && castable(other));
  const pointer = params.find((p) => p.type.kind === 'pointer')?.type;
  if (type.kind === 'scalar' && kind === 'i32' && pointer !== undefined) {
    options.push(() => multicastSize(make(pointer), spans(from)));
  }
  if (castable(type)) options.push(() => bitcast(type, make(choices.of(sameSize)), spans(from)));
  return options;
}

function castable(type: ValueType): boolean {
  return hasBitcast(type.kind === 'scalar' ? type.scalar : type.element);
}

function scalarNodes(from: ExpressionSource, kind: ScalarKind, make: (of: Type) => Expression): readonly Make[] {
  const { choices } = from;
  const options: Make[] = [];
  for (const type of vectorTypes) {
    if (type.element !== kind) continue;
    options.push(() => lane(make(type), make(scalarType(choices.of(['u32', 'i32']))), spans(from)));
    options.push(() => lane(make(type), constant('u32', choices.below(type.width)), spans(from)));
  }
  if (kind === 'i32') options.push(() => field(make(devComm), 'lsaRank', scalarType('i32'), spans(from)));
  if (kind === 'addr') options.push(() => field(make(window), 'plan.inner', scalarType('addr'), spans(from)));
  if (kind !== 'bool') return options;
  const compared = scalarKinds.filter((scalar) => scalar !== 'e4m3' && scalar !== 'e5m2');
  options.push(() => {
    const scalar = choices.of(compared);
    const op = choices.of(compareOps.filter((candidate) => hasCompare(candidate, scalar)));
    return compare(op, make(scalarType(scalar)), make(scalarType(scalar)), spans(from));
  });
  options.push(() =>
    logical(choices.of(['and', 'or']), make(scalarType('bool')), make(scalarType('bool')), spans(from)),
  );
  return options;
}

function pointerNodes(from: ExpressionSource, type: PointerType, make: (of: Type) => Expression): readonly Make[] {
  const { choices } = from;
  const options: Make[] = [
    () => pointerOffset(make(type), make(scalarType(choices.of(['u32', 'i32', 'u64', 'addr', 'i8']))), spans(from)),
  ];
  if (type.space === 'global') {
    options.push(() =>
      windowPointer(type.element, make(window), make(scalarType('i32')), make(scalarType('addr')), spans(from)),
    );
    options.push(
      () =>
        multicastPointer(type.element, make(window), make(scalarType('addr')), make(scalarType('addr')), spans(from)),
      () => unicastPointer(make(type), make(scalarType('i32')), spans(from)),
    );
    const other = params.find((p) => p.type.kind === 'pointer' && !sameType(p.type, type));
    if (other !== undefined) options.push(() => pointerCast(type.element, make(other.type), spans(from)));
  }
  return options;
}

/** An intrinsic whose expansion uses its arguments. */
function wrapped(from: ExpressionSource, value: Expression): Expression {
  const { choices } = from;
  const condition = compare('lt', builtin('laneId'), constant('u32', choices.below(32)));
  const expansion = select(condition, value, value);
  const name = choices.of(['lsa.pick', 'pick', 'odd name']);
  return intrinsic(name, statics(from), [value, condition], expansion, spans(from));
}

export function statics(from: ExpressionSource): readonly Static[] {
  const { choices } = from;
  const one = (): Static =>
    choices.of<() => Static>([
      () => ({ kind: 'word', name: 'order', word: choices.of(['acquire', 'a "quoted" word']) }),
      () => ({ kind: 'type', name: 'T', type: choices.of<Type>([...valueTypes, devComm]) }),
      () => ({ kind: 'number', name: 'n', number: scalarValue(choices, choices.of(['i32', 'u64', 'bool', 'f64'])) }),
      () => ({ kind: 'coop', name: 'coop', coop: coop(from) }),
      () => ({ kind: 'custom', name: 'own' }),
    ])();
  return Array.from({ length: choices.below(4) }, one);
}

export function coop(from: ExpressionSource): Coop {
  const { choices } = from;
  const u32 = (): Expression => expression(from, scalarType('u32'), 1);
  return choices.of<() => Coop>([
    () => ({ kind: 'cta' }),
    () => ({ kind: 'tile', size: choices.of([1, 2, 4, 8, 16, 32]) }),
    () => ({ kind: 'lanes', mask: u32() }),
    () => ({ kind: 'warpSpan', first: u32(), count: u32(), id: u32() }),
  ])();
}

/** Threads of one warp. */
export function warpCoop(from: ExpressionSource): Coop {
  if (from.choices.oneIn(3)) return { kind: 'lanes', mask: expression(from, scalarType('u32'), 1) };
  return { kind: 'tile', size: from.choices.of([32, 8]) };
}

/** The address of an array, as a pointer of the array's space. */
export function arrayPointer(from: ExpressionSource): Expression {
  const id = from.choices.below(arrays.length);
  const declaration = arrays[id];
  if (declaration === undefined) throw new Error('no such array');
  return pointerOffset(array(id, declaration), expression(from, scalarType('u32'), 1));
}
