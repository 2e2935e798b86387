import { at as partAt, NcclError } from '@nccl-ts/core';
import {
  clusterCtas,
  layoutOfArray,
  dispatchExpression,
  type Builtin,
  type ConvertExpression,
  type Expression,
  type ExpressionTable,
  type LaneExpression,
  type WithLaneExpression,
} from '@nccl-ts/ir';

import { bitcast } from './emit-bitcast.ts';
import { convertText } from './emit-convert.ts';
import { field, handleText } from './emit-field.ts';
import { binaryText, compareText, mathText, unaryText, type FaultSite } from './emit-operation.ts';
import { helper, site, type Components } from './context.ts';
import { literal } from './literals.ts';
import { atom, bound, branchScope, fresh, type EmitScope } from './scope.ts';
import { alignment, byteSize, componentsOf, scalarOf, widthOf } from './types.ts';

/**
 * Returns texts with the value of `e`. It may first add lines to `scope.code`. Texts are atoms,
 * calls or parenthesized. The lines of parts that are evaluated only sometimes (a side of `select`)
 * are inside a branch.
 */
export function emitExpression(e: Expression, scope: EmitScope): Components {
  const hoisted = scope.hoisted?.(e);
  if (hoisted !== undefined) return hoisted;
  const done = scope.done.get(e);
  if (done !== undefined) return done;
  const components = dispatchExpression(table, e, scope);
  if (!scope.repeated.has(e)) return components;
  const stored = components.map((text) => atom(scope, text));
  scope.done.set(e, stored);
  return stored;
}

/** Returns the text of a value that is a single JavaScript value. */
export function emitOne(e: Expression, scope: EmitScope): string {
  const [text] = emitExpression(e, scope);
  if (text === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `An expression (${e.kind}) has no value.`);
  return text;
}

function faultSite(e: Expression, scope: EmitScope, what: string): FaultSite {
  return { thread: scope.thread, site: () => site(scope.context, e.span ?? scope.span, what) };
}

function scalar(e: Expression): ReturnType<typeof scalarOf> & string {
  const kind = scalarOf(e.type);
  if (kind === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A ${e.type.kind} is used as a number.`);
  return kind;
}

/** Returns a vector's elements, or a scalar's value `width` times. */
function spread(components: Components, width: number): Components {
  const [first = '0'] = components;
  return components.length === width ? components : Array.from({ length: width }, () => first);
}

const table: ExpressionTable<EmitScope, Components> = {
  constant: (e) => [literal(e.value)],
  local: (e, scope) => scope.local(e.local),
  param: (e, scope) => {
    if (e.type.kind === 'handle') return [handleText(e, scope)];
    return componentsOf(e.type).map(({ suffix }) => `p${e.param}${suffix}`);
  },
  array: (e, scope) => {
    const { low, region } = layoutOfArray(scope.context.arrays, e.array);
    if (scope.context.module.cluster === undefined || e.type.space !== 'shared') return [literal(low), literal(region)];
    // The shared memory of a cluster is one memory, in which that of each CTA has its place.
    const base = bound(scope, 's_base', 'cta.member.base');
    const regions = bound(scope, 's_regions', 'cta.member.regions');
    return [`(${base} + ${literal(low)})`, `(${regions} + ${literal(region)})`];
  },
  builtin: (e, scope) => [builtinText(e.builtin, scope)],
  field: (e, scope) => [field(e, scope)],
  unary: (e, scope) => {
    const kind = scalar(e);
    return emitExpression(e.operand, scope).map((a) => unaryText(scope.context, e.op, kind, a));
  },
  binary: (e, scope) => {
    const width = widthOf(e.type);
    const kind = scalar(e);
    const left = spread(emitExpression(e.left, scope), width);
    const right = spread(emitExpression(e.right, scope), width);
    const where = faultSite(e, scope, e.op);
    return left.map((a, i) => binaryText(scope.context, e.op, kind, a, partAt(right, i), where));
  },
  // The first component of a pointer is its address.
  compare: (e, scope) => [compareText(e.op, emitOne(e.left, scope), emitOne(e.right, scope))],
  logical: (e, scope) => {
    const left = emitOne(e.left, scope);
    const inner = branchScope(scope);
    const right = emitOne(e.right, inner);
    if (inner.code.length === 0) return [`(${left} ${e.op === 'and' ? '&&' : '||'} ${right})`];
    const result = fresh(scope, 'b');
    scope.code.push(`let ${result} = ${left};`, `if (${e.op === 'and' ? '' : '!'}${result}) {`);
    scope.code.push(...inner.code, `${result} = ${right};`, '}');
    return [result];
  },
  select: (e, scope) => {
    const condition = emitOne(e.condition, scope);
    const [yes, no] = [branchScope(scope), branchScope(scope)];
    const then = emitExpression(e.then, yes);
    const otherwise = emitExpression(e.else, no);
    if (yes.code.length + no.code.length === 0) {
      const test = then.length > 1 ? atom(scope, condition) : condition;
      return then.map((text, i) => `(${test} ? ${text} : ${partAt(otherwise, i)})`);
    }
    const results = then.map(() => fresh(scope, 's'));
    const set = (texts: Components): string[] => results.map((name, i) => `${name} = ${partAt(texts, i)};`);
    scope.code.push(`let ${results.join(', ')};`, `if (${condition}) {`, ...yes.code, ...set(then));
    scope.code.push('} else {', ...no.code, ...set(otherwise), '}');
    return results;
  },
  convert: (e, scope) => convert(e, scope),
  bitcast: (e, scope) => bitcast(e, emitExpression(e.operand, scope), scope),
  math: (e, scope) => {
    const width = widthOf(e.type);
    const args = e.args.map((arg) => spread(emitExpression(arg, scope), width));
    return Array.from({ length: width }, (_, i) =>
      mathText(
        scope.context,
        e.function,
        scalar(e),
        args.map((arg) => partAt(arg, i)),
      ),
    );
  },
  vector: (e, scope) => {
    const elements = e.elements.map((element) => emitOne(element, scope));
    const [first = '0'] = elements;
    return elements.length === e.type.width ? elements : spread([atom(scope, first)], e.type.width);
  },
  lane: (e, scope) => [laneText(e, scope)],
  withLane: (e, scope) => withLane(e, scope),
  windowPointer: (e, scope) => {
    const window = handleText(e.window, scope);
    const peer = atom(scope, emitOne(e.peer, scope));
    const offset = emitOne(e.offset, scope);
    const base = `${helper(scope.context, 'peerBase')}(${window}, ${peer})`;
    return [`(${base} + ${offset})`, `${helper(scope.context, 'peerRegion')}(${window}, ${peer})`];
  },
  addressPointer: (e, scope) => {
    const text = emitOne(e.address, scope);
    const address = atom(scope, scalar(e.address) === 'u64' ? `Number(${text})` : text);
    return [
      `${helper(scope.context, 'addressInHeap')}(${address})`,
      `${helper(scope.context, 'addressRegion')}(${address})`,
    ];
  },
  multicastPointer: (e, scope) => {
    const window = handleText(e.window, scope);
    const group = atom(scope, emitOne(e.group, scope));
    const region = atom(scope, `${helper(scope.context, 'multicastRegion')}(${window}, ${group})`);
    return [`${helper(scope.context, 'multicastAddress')}(${region}, ${emitOne(e.offset, scope)})`, region];
  },
  unicastPointer: (e, scope) => {
    const [at = '0', of = '0'] = emitExpression(e.pointer, scope);
    const [address, region, member] = [atom(scope, at), atom(scope, of), atom(scope, emitOne(e.member, scope))];
    const { element } = e.type;
    const { thread, site: where } = faultSite(e, scope, 'multimem access');
    if (alignment(element) > 1) {
      const given = `cta, ${thread}, ${where()}, ${byteSize(element)}, ${address}, ${region}, ${member}`;
      const fault = `${helper(scope.context, 'misalignedMulticast')}(${given})`;
      scope.code.push(`if ((${address} & ${alignment(element) - 1}) !== 0) ${fault};`);
    }
    return [
      `${helper(scope.context, 'unicastAddress')}(${region}, ${address}, ${member})`,
      `${helper(scope.context, 'unicastRegion')}(${region}, ${member})`,
    ];
  },
  multicastSize: (e, scope) => {
    const [, region = '0'] = emitExpression(e.pointer, scope);
    return [`${helper(scope.context, 'multicastSize')}(${region})`];
  },
  clusterPointer: (e, scope) => {
    const { arrays, module } = scope.context;
    const [address = '0', region = '0'] = emitExpression(e.pointer, scope);
    const rank = atom(scope, emitOne(e.rank, scope));
    const own = bound(scope, 's_rank', 'cta.member.rank');
    const [bytes, regions] = [literal(arrays.bytes.shared), literal(arrays.bounds.shared.length)];
    return [
      `(${address} + (${rank} - ${own}) * ${bytes})`,
      `(${rank} < ${literal(clusterCtas(module.cluster))} ? ${region} + (${rank} - ${own}) * ${regions} : 0)`,
    ];
  },
  pointerOffset: (e, scope) => {
    const [address = '0', region = '0'] = emitExpression(e.pointer, scope);
    const index = emitOne(e.index, scope);
    const kind = scalar(e.index);
    const count = kind === 'i64' || kind === 'u64' ? `Number(${index})` : index;
    const bytes = byteSize(e.type.element);
    return [`(${address} + ${count}${bytes === 1 ? '' : ` * ${bytes}`})`, region];
  },
  pointerCast: (e, scope) => emitExpression(e.pointer, scope),
  intrinsic: (e, scope) => emitExpression(e.expansion, scope),
};

function convert(e: ConvertExpression, scope: EmitScope): Components {
  if (e.operand.type.kind === 'pointer') {
    const [address = '0', region = '0'] = emitExpression(e.operand, scope);
    if (scalar(e) === 'u32') return [`(${address} >>> 0)`];
    return [`${helper(scope.context, 'deviceAddress')}(${address}, ${region})`];
  }
  const from = scalar(e.operand);
  const to = scalar(e);
  const where = faultSite(e, scope, 'convert');
  const texts = spread(emitExpression(e.operand, scope), widthOf(e.type));
  return texts.map((a) => convertText(scope.context, from, to, a, where));
}

function laneText(e: LaneExpression, scope: EmitScope): string {
  const elements = emitExpression(e.vector, scope);
  if (e.index.kind === 'constant') {
    const chosen = elements[Number(e.index.value)];
    if (chosen !== undefined) return chosen;
  }
  const index = atom(scope, emitOne(e.index, scope));
  const { thread, site: where } = faultSite(e, scope, 'lane');
  const fault = `${helper(scope.context, 'laneFault')}(cta, ${thread}, ${where()}, ${index}, ${elements.length})`;
  return elements.reduceRight((rest, element, i) => `(${index} === ${i} ? ${element} : ${rest})`, fault);
}

function withLane(e: WithLaneExpression, scope: EmitScope): Components {
  const elements = emitExpression(e.vector, scope);
  const value = emitOne(e.value, scope);
  if (e.index.kind === 'constant' && elements[Number(e.index.value)] !== undefined) {
    const at = Number(e.index.value);
    return elements.map((element, i) => (i === at ? value : element));
  }
  const index = atom(scope, emitOne(e.index, scope));
  const replaced = atom(scope, value);
  const { thread, site: where } = faultSite(e, scope, 'lane');
  const width = elements.length;
  const fault = `${helper(scope.context, 'laneFault')}(cta, ${thread}, ${where()}, ${index}, ${width})`;
  scope.code.push(`if (!(${index} >= 0 && ${index} < ${width})) ${fault};`);
  return elements.map((element, i) => `(${index} === ${i} ? ${replaced} : ${element})`);
}

function builtinText(builtin: Builtin, scope: EmitScope): string {
  const { x, y, z } = scope.context.specialisation.blockDim;
  const t = scope.thread;
  const identity = (axis: 'x' | 'y' | 'z', of: 'blockIdx' | 'gridDim'): string =>
    bound(scope, `${of}_${axis}`, `cta.identity.${of}.${axis}`);
  switch (builtin) {
    case 'threadIdx.x':
      return y * z === 1 ? t : `(${t} % ${x})`;
    case 'threadIdx.y':
      return y === 1 ? '0' : z === 1 ? `(${t} / ${x} | 0)` : `((${t} / ${x} | 0) % ${y})`;
    case 'threadIdx.z':
      return z === 1 ? '0' : `(${t} / ${x * y} | 0)`;
    case 'blockIdx.x':
      return identity('x', 'blockIdx');
    case 'blockIdx.y':
      return identity('y', 'blockIdx');
    case 'blockIdx.z':
      return identity('z', 'blockIdx');
    case 'blockDim.x':
      return literal(x);
    case 'blockDim.y':
      return literal(y);
    case 'blockDim.z':
      return literal(z);
    case 'gridDim.x':
      return identity('x', 'gridDim');
    case 'gridDim.y':
      return identity('y', 'gridDim');
    case 'gridDim.z':
      return identity('z', 'gridDim');
    case 'threadLinear':
      return t;
    case 'blockThreads':
      return literal(x * y * z);
    case 'laneId':
      return `(${t} & 31)`;
    case 'warpSize':
      return '32';
  }
}
