import { at as partAt, NcclError, scalarInfo, WARP_SIZE, type ScalarKind } from '@nccl-ts/core';
import {
  layoutOfArray,
  dispatchExpression,
  type Builtin,
  type ConvertExpression,
  type Expression,
  type ExpressionTable,
  type LaneExpression,
  type Type,
  type UnicastPointerExpression,
  type WithLaneExpression,
} from '@nccl-ts/ir';

import { helper, site } from '../emit-shared/context.ts';
import { handleText } from '../emit-shared/emit-field.ts';
import { alignment, byteSize, componentsOf, scalarOf, widthOf } from '../emit-shared/types.ts';
import { bitcast } from './emit-bytes.ts';
import { convert } from './emit-convert.ts';
import { binary, compare, math, unary, type SiteOf } from './emit-operation.ts';
import { packedBinary, packedMath, packedOf, packedUnary, unpacked } from './emit-packed.ts';
import { asNarrowedHalves, asWidenedHalf, packedBytes } from './emit-halves.ts';
import { isLeaf, localValue, value, type WasmValue } from './function-builder.ts';
import { block, f32, f64, i32, i64, lines, op, set, type WasmCode } from './instruction.ts';
import { asPackedElements } from './packed-elements.ts';
import { memberCount, memberEntry, peerEntry } from './peer-table.ts';
import { branchScope, first, keep, type Components, type WasmScope } from './scope.ts';
import { componentTypes, heldIn, shapeOf } from './types.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';

/** Returns the values of `e`. It may first add code to `scope.code`. */
export function emitExpression(e: Expression, scope: WasmScope): Components {
  const hoisted = scope.hoisted(e);
  if (hoisted !== undefined) return hoisted;
  const done = scope.done.get(e);
  if (done !== undefined) return done;
  const components = dispatchExpression(table, e, scope);
  if (!scope.repeated.has(e)) return components;
  const stored = components.map((component) => keep(scope, component));
  scope.done.set(e, stored);
  return stored;
}

export function emitOne(e: Expression, scope: WasmScope): WasmValue {
  return first(emitExpression(e, scope));
}

/** Returns values that JavaScript computes before the call, as parameters of the function. */
export function paramValues(type: Type, texts: readonly string[], scope: Pick<WasmScope, 'fn' | 'region'>): Components {
  const shape = shapeOf(type);
  const kind = scalarOf(type);
  const given = (held: WasmValue['type'], text: string): WasmValue => ({
    ...localValue(held, scope.fn.param(text, held)),
    text,
  });
  if (kind !== undefined) {
    const elements = texts.map((text) => given(heldIn[kind], text));
    return shape === undefined ? elements : [packedOf(shape, elements, scope)];
  }
  return componentTypes(type).map((held, i) => given(held, partAt(texts, i)));
}

function siteOf(e: Expression, scope: WasmScope, what: string): SiteOf {
  return () => site(scope.context, e.span ?? scope.span, what);
}

function scalar(e: Expression): ScalarKind {
  const kind = scalarOf(e.type);
  if (kind === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A ${e.type.kind} is used as a number.`);
  return kind;
}

export function constant(kind: ScalarKind, of: number | bigint | boolean): WasmValue {
  switch (heldIn[kind]) {
    case 'i32':
      return value('i32', i32(Number(of)));
    case 'i64':
      return value('i64', i64(BigInt(of)));
    case 'f32':
      return value('f32', f32(Number(of)));
    case 'f64':
    case 'v128':
      return value('f64', f64(Number(of)));
  }
}

/** Returns the elements of `e`, `width` of them. A scalar is repeated. */
function elementsOf(e: Expression, width: number, scope: WasmScope): Components {
  const components = emitExpression(e, scope);
  const shape = shapeOf(e.type);
  if (shape !== undefined && e.type.kind === 'vector') return unpacked(e.type, shape, first(components), scope);
  if (components.length === width) return components;
  const stored = keep(scope, first(components));
  return Array.from({ length: width }, () => stored);
}

/** Returns the `v128` of `e`, which is a vector of that shape or one element. */
function packedValue(e: Expression, type: Type, scope: WasmScope): WasmValue {
  const shape = shapeOf(type);
  const components = emitExpression(e, scope);
  return shape === undefined || shapeOf(e.type) !== undefined ? first(components) : packedOf(shape, components, scope);
}

/** Returns elements as the components of `type`. */
function asComponents(type: Type, elements: Components, scope: WasmScope): Components {
  const shape = shapeOf(type);
  return shape === undefined ? elements : [packedOf(shape, elements, scope)];
}

const table: ExpressionTable<WasmScope, Components> = {
  constant: (e) => [constant(scalar(e), e.value)],
  local: (e, scope) => {
    const types = componentTypes(e.type);
    const canonical = scope.canonical.has(e.local) || undefined;
    const uniform = !scope.context.uniformity.varying.has(e.local) ? scope.prologue.hoist(e) : undefined;
    if (uniform !== undefined) return paramValues(e.type, uniform, scope);
    const [head, ...rest] = scope.local(e.local).map((local, i) => localValue(partAt(types, i), local));
    if (head === undefined || e.type.kind !== 'pointer')
      return head === undefined ? [] : [{ ...head, canonical }, ...rest];
    const known = scope.regions.get(e.local);
    return [head, ...rest.map((region) => ({ ...region, text: known?.text, bounds: known?.bounds }))];
  },
  param: (e, scope) =>
    paramValues(
      e.type,
      componentsOf(e.type).map(({ suffix }) => `p${e.param}${suffix}`),
      scope,
    ),
  array: (e, scope) => {
    const { low, region } = layoutOfArray(scope.context.arrays, e.array);
    return [
      { ...value('f64', f64(low)), text: `${low}` },
      { ...value('i32', i32(region)), text: `${region}` },
    ];
  },
  builtin: (e, scope) => [builtin(e.builtin, scope)],
  field: (e) => {
    throw new Unsupported(`the field ${e.field} is read where it may not exist`);
  },
  unary: (e, scope) => {
    const shape = shapeOf(e.type);
    if (shape !== undefined) {
      const packed = packedUnary(e.op, shape, packedValue(e.operand, e.type, scope));
      if (packed !== undefined) return [packed];
    }
    const elements = elementsOf(e.operand, widthOf(e.type), scope);
    return asComponents(
      e.type,
      elements.map((a) => unary(e.op, scalar(e), a)),
      scope,
    );
  },
  binary: (e, scope) => {
    const shape = shapeOf(e.type);
    const kind = scalar(e);
    if (shape !== undefined) {
      const left = packedValue(e.left, e.type, scope);
      const right = packedValue(e.right, e.type, scope);
      const packed = packedBinary(e.op, shape, scalarInfo[kind].signed, left, right, scope);
      if (packed !== undefined) return [packed];
    }
    const width = widthOf(e.type);
    const left = elementsOf(e.left, width, scope);
    const right = elementsOf(e.right, width, scope);
    const where = siteOf(e, scope, e.op);
    return asComponents(
      e.type,
      left.map((a, i) => binary(e.op, kind, a, right[i] ?? a, scope, where)),
      scope,
    );
  },
  compare: (e, scope) => {
    const kind = scalarOf(e.left.type) ?? 'pointer';
    const left = emitOne(e.left, scope);
    return [compare(e.op, kind, left, emitOne(e.right, scope))];
  },
  logical: (e, scope) => {
    const left = emitOne(e.left, scope);
    const inner = branchScope(scope);
    const right = emitOne(e.right, inner);
    const isAnd = e.op === 'and';
    const rest: WasmCode = [...inner.code, ...right.code];
    const open: WasmCode = [...left.code, block('if', scope.fn.label(), 'i32')];
    return [value('i32', ...open, ...(isAnd ? rest : [i32(1)]), op('else'), ...(isAnd ? [i32(0)] : rest), op('end'))];
  },
  select: (e, scope) => select(e, scope),
  convert: (e, scope) => converted(e, scope),
  bitcast: (e, scope) => {
    const [from, to] = [scalar(e.operand), scalar(e)];
    const [given, made] = [shapeOf(e.operand.type), shapeOf(e.type)];
    if (given !== undefined && made !== undefined) {
      const packed = emitOne(e.operand, scope);
      return [given === made ? packed : packedBytes(given, packed, scope)];
    }
    const elements = elementsOf(e.operand, widthOf(e.operand.type), scope);
    return asComponents(
      e.type,
      bitcast(from, to, elements, widthOf(e.type), scope, () => 0),
      scope,
    );
  },
  math: (e, scope) => {
    const shape = shapeOf(e.type);
    if (shape !== undefined && e.args.length === 1) {
      const packed = packedMath(
        e.function,
        shape,
        e.args.map((arg) => packedValue(arg, e.type, scope)),
      );
      if (packed !== undefined) return [packed];
    }
    const width = widthOf(e.type);
    const args = e.args.map((arg) => elementsOf(arg, width, scope));
    const elements = Array.from({ length: width }, (_, i) =>
      math(
        e.function,
        scalar(e),
        args.map((arg) => arg[i] ?? first(arg)),
        scope,
      ),
    );
    return asComponents(e.type, elements, scope);
  },
  vector: (e, scope) => {
    const packed =
      asWidenedHalf(e, scope, emitOne) ??
      asNarrowedHalves(e, scope, emitOne) ??
      asPackedElements(e, scope, emitExpression);
    if (packed !== undefined) return [packed];
    const elements = e.elements.map((element) => emitOne(element, scope));
    const shape = shapeOf(e.type);
    if (shape !== undefined) return [packedOf(shape, elements, scope)];
    if (elements.length === e.type.width) return elements;
    const stored = keep(scope, first(elements));
    return Array.from({ length: e.type.width }, () => stored);
  },
  lane: (e, scope) => [laneValue(e, scope)],
  withLane: (e, scope) => withLane(e, scope),
  windowPointer: (e, scope) => {
    if (!scope.prologue.isFixed(e.window)) throw new Unsupported('a pointer into a window that differs by thread');
    const window = handleText(e.window, scope.prologue.scope);
    const peer = emitOne(e.peer, scope);
    const { base, region } = peerEntry(window, peer, scope);
    return [value('f64', ...base, ...emitOne(e.offset, scope).code, op('f64.add')), region];
  },
  addressPointer: () => {
    throw new Unsupported('a pointer made of a device address');
  },
  multicastPointer: (e, scope) => {
    const { context, prologue } = scope;
    const group = scope.hoisted(e.group)?.[0]?.text ?? prologue.hoist(e.group)?.[0];
    if (group === undefined || !prologue.isFixed(e.window))
      throw new Unsupported('a multicast group that differs by thread');
    const window = handleText(e.window, prologue.scope);
    const region = prologue.atom(`${helper(context, 'multicastRegion')}(${window}, ${group})`);
    memberCount(region, scope);
    const address = prologue.atom(`${helper(context, 'multicastAddress')}(${region}, 0)`);
    const base = localValue('f64', scope.fn.param(address, 'f64'));
    const number = { ...localValue('i32', scope.fn.param(region, 'i32')), text: region };
    return [value('f64', ...base.code, ...emitOne(e.offset, scope).code, op('f64.add')), number];
  },
  unicastPointer: (e, scope) => unicast(e, scope),
  multicastSize: (e, scope) => {
    const [, region] = emitExpression(e.pointer, scope);
    if (region?.text === undefined) throw new Unsupported('the size of a multicast group that differs by thread');
    const size = scope.prologue.atom(`${helper(scope.context, 'multicastSize')}(${region.text})`);
    return [{ ...localValue('i32', scope.fn.param(size, 'i32')), text: size }];
  },
  clusterPointer: () => {
    throw new Unsupported('shared memory of another CTA');
  },
  pointerOffset: (e, scope) => {
    const [address, region] = emitExpression(e.pointer, scope);
    if (address === undefined || region === undefined) throw new Unsupported('a pointer without a region');
    const index = emitOne(e.index, scope);
    const kind = scalar(e.index);
    const number = convert(kind, 'f64', index, scope, () => 0);
    const bytes = byteSize(e.type.element);
    const scaled: WasmCode = bytes === 1 ? number.code : [...number.code, f64(bytes), op('f64.mul')];
    return [value('f64', ...address.code, ...scaled, op('f64.add')), region];
  },
  pointerCast: (e, scope) => emitExpression(e.pointer, scope),
  intrinsic: (e, scope) => emitExpression(e.expansion, scope),
};

function unicast(e: UnicastPointerExpression, scope: WasmScope): Components {
  const [given, region] = emitExpression(e.pointer, scope);
  if (given === undefined || region?.text === undefined) {
    throw new Unsupported('a pointer derived from a multicast pointer that differs by thread');
  }
  const address = keep(scope, given);
  const member = keep(scope, emitOne(e.member, scope));
  const { element } = e.type;
  const mask = alignment(element) - 1;
  if (mask > 0) {
    const where = siteOf(e, scope, 'multimem access');
    const name = helper(scope.context, 'misalignedMulticast');
    const report = (t: string, [at, of, to]: readonly string[]): string =>
      `${name}(cta, ${t}, ${where()}, ${byteSize(element)}, ${at}, ${of}, ${to});`;
    scope.code.push(
      ...lines(address.code, op('i64.trunc_sat_f64_u'), op('i32.wrap_i64'), i32(mask), op('i32.and')),
      block('if', scope.fn.label()),
      ...scope.region.fault(scope.thread, [address, region, member], report),
      op('end'),
    );
  }
  const { base, region: copy } = memberEntry(region.text, member, scope);
  return [value('f64', ...base, ...address.code, op('f64.add')), copy];
}

function select(e: Extract<Expression, { kind: 'select' }>, scope: WasmScope): Components {
  const condition = keep(scope, emitOne(e.condition, scope));
  const [yes, no] = [branchScope(scope), branchScope(scope)];
  const then = emitExpression(e.then, yes);
  const otherwise = emitExpression(e.else, no);
  if (yes.code.length + no.code.length === 0) {
    return then.map((chosen, i) => {
      const other = otherwise[i] ?? chosen;
      if (chosen.type !== 'v128' && isLeaf(chosen) && isLeaf(other)) {
        return value(chosen.type, ...chosen.code, ...other.code, ...condition.code, op('select'));
      }
      const open: WasmCode = [...condition.code, block('if', scope.fn.label(), chosen.type)];
      return value(chosen.type, ...open, ...chosen.code, op('else'), ...other.code, op('end'));
    });
  }
  const results = then.map(({ type }) => ({ type, local: scope.fn.local(type) }));
  const store = (values: Components): WasmCode => [
    ...values.flatMap(({ code }) => code),
    ...results.toReversed().map(({ local }) => set(local)),
  ];
  scope.code.push(...condition.code, block('if', scope.fn.label()), ...yes.code, ...store(then), op('else'));
  scope.code.push(...no.code, ...store(otherwise), op('end'));
  return results.map(({ type, local }) => localValue(type, local));
}

function converted(e: ConvertExpression, scope: WasmScope): Components {
  if (e.operand.type.kind === 'pointer') {
    const { code } = emitOne(e.operand, scope);
    return [value('i32', ...code, op('i64.trunc_sat_f64_u'), op('i32.wrap_i64'))];
  }
  const [from, to] = [scalar(e.operand), scalar(e)];
  const where = siteOf(e, scope, 'convert');
  const elements = elementsOf(e.operand, widthOf(e.type), scope);
  return asComponents(
    e.type,
    elements.map((a) => convert(from, to, a, scope, where)),
    scope,
  );
}

/** Faults if `index` is not a lane of a vector of `width` elements. */
function checkLane(e: Expression, index: WasmValue, width: number, scope: WasmScope): void {
  const where = siteOf(e, scope, 'lane');
  const name = helper(scope.context, 'laneFault');
  const signed = scalarOf(e.kind === 'lane' || e.kind === 'withLane' ? e.index.type : e.type) === 'i32';
  scope.code.push(
    ...lines(
      [...index.code, i32(width), op('i32.ge_u'), block('if', scope.fn.label())],
      scope.region.fault(
        scope.thread,
        [index],
        (t, [x]) => `${name}(cta, ${t}, ${where()}, ${signed ? x : `(${x} >>> 0)`}, ${width});`,
      ),
      op('end'),
    ),
  );
}

function laneValue(e: LaneExpression, scope: WasmScope): WasmValue {
  const width = widthOf(e.vector.type);
  const elements = elementsOf(e.vector, width, scope);
  if (e.index.kind === 'constant') {
    const chosen = elements[Number(e.index.value)];
    if (chosen !== undefined) return chosen;
  }
  const stored = elements.map((element) => keep(scope, element));
  const index = keep(scope, emitOne(e.index, scope));
  checkLane(e, index, width, scope);
  return stored.reduceRight((rest, element, i) =>
    i === width - 1
      ? element
      : value(element.type, ...element.code, ...rest.code, ...index.code, i32(i), op('i32.eq'), op('select')),
  );
}

function withLane(e: WithLaneExpression, scope: WasmScope): Components {
  const width = widthOf(e.type);
  const elements = elementsOf(e.vector, width, scope);
  const replaced = keep(scope, emitOne(e.value, scope));
  if (e.index.kind === 'constant' && elements[Number(e.index.value)] !== undefined) {
    const at = Number(e.index.value);
    return asComponents(
      e.type,
      elements.map((element, i) => (i === at ? replaced : element)),
      scope,
    );
  }
  const index = keep(scope, emitOne(e.index, scope));
  checkLane(e, index, width, scope);
  return asComponents(
    e.type,
    elements.map((element, i) =>
      value(element.type, ...replaced.code, ...element.code, ...index.code, i32(i), op('i32.eq'), op('select')),
    ),
    scope,
  );
}

/** Values of the launch are hoisted. These built-ins differ by thread. */
function builtin(name: Builtin, scope: WasmScope): WasmValue {
  const { x, y, z } = scope.context.specialisation.blockDim;
  const t = scope.thread.code;
  switch (name) {
    case 'threadIdx.x':
      return y * z === 1 ? scope.thread : value('i32', ...t, i32(x), op('i32.rem_u'));
    case 'threadIdx.y':
      if (y === 1) return value('i32', i32(0));
      if (z === 1) return value('i32', ...t, i32(x), op('i32.div_u'));
      return value('i32', ...t, i32(x), op('i32.div_u'), i32(y), op('i32.rem_u'));
    case 'threadIdx.z':
      return z === 1 ? value('i32', i32(0)) : value('i32', ...t, i32(x * y), op('i32.div_u'));
    case 'threadLinear':
      return scope.thread;
    case 'laneId':
      return value('i32', ...t, i32(31), op('i32.and'));
    case 'blockDim.x':
      return value('i32', i32(x));
    case 'blockDim.y':
      return value('i32', i32(y));
    case 'blockDim.z':
      return value('i32', i32(z));
    case 'blockThreads':
      return value('i32', i32(x * y * z));
    case 'warpSize':
      return value('i32', i32(WARP_SIZE));
    case 'blockIdx.x':
    case 'blockIdx.y':
    case 'blockIdx.z':
    case 'gridDim.x':
    case 'gridDim.y':
    case 'gridDim.z':
      throw new Unsupported(`${name} where it is unknown`);
  }
}
