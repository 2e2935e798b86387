import { NcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  atomicMeaning,
  elementScalar,
  typeName,
  type AtomicAccess,
  type AtomicStatement,
  type Expression,
  type LoadStatement,
  type StoreStatement,
} from '@nccl-ts/ir';

import { accessSite, helper } from '../emit-shared/context.ts';
import { alignment, byteSize, isFloat, widthOf } from '../emit-shared/types.ts';
import { emitSharedAtomic, readStrong, writeStrong } from './emit-atomic.ts';
import { bitsOf, ofBits } from './emit-bytes.ts';
import { emitExpression } from './emit-expression.ts';
import { packedBytes } from './emit-halves.ts';
import { value, type WasmValue } from './function-builder.ts';
import { block, f64, get, i32, lines, memory, op, set, type WasmCode } from './instruction.ts';
import type { MemoryOp } from './opcodes.ts';
import { spaceBase } from './private-memory.ts';
import { copy, first, keep, type Components, type WasmScope } from './scope.ts';
import { heldIn, shapeOf } from './types.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';
import { same, updated, type CheckedAddress } from './checked-address.ts';

export function emitLoad(s: LoadStatement, scope: WasmScope): Components {
  return readSpot(locate(s.pointer, 'load', s.access, scope), scope);
}

export function emitStore(s: StoreStatement, scope: WasmScope): void {
  const values = emitExpression(s.value, scope);
  const stored = values.length > 1 ? values.map((one) => keep(scope, one)) : values;
  writeSpot(locate(s.pointer, 'store', s.access, scope), stored, scope);
}

/** Reads, computes and writes. Returns the previous value. */
export function emitAtomic(s: AtomicStatement, scope: WasmScope): Components {
  const values = emitExpression(s.value, scope).map((one) => keep(scope, one));
  const expected = s.expected === undefined ? [] : emitExpression(s.expected, scope).map((one) => keep(scope, one));
  const spot = locate(s.pointer, 'atomic', s.access, scope);
  if (shapeOf(spot.element) !== undefined) throw new Unsupported(`an atomic of ${typeName(spot.element)}`);
  if (spot.strong) return emitSharedAtomic(s, spot, values, expected, scope);
  const old = readSpot(spot, scope).map((one) => copy(scope, one));
  const kind = elementScalar(spot.element);
  const meaning = atomicMeaning[s.op];
  if (meaning.kind === 'compare') {
    const tests = old.map((one, i) => same(kind, one, expected[i] ?? one));
    const all = tests.flatMap((test, i): WasmCode => (i === 0 ? test : [...test, op('i32.and')]));
    const inner = { ...scope, code: [] };
    writeSpot(spot, values, inner);
    scope.code.push(...all, block('if', scope.fn.label()), ...inner.code, op('end'));
    return old;
  }
  const next = old.map((one, i) => updated(meaning, kind, one, values[i] ?? one, scope, spot.site));
  writeSpot(spot, next, scope);
  return old;
}

/**
 * Makes sure that the bytes lie in the pointer's region and are aligned, unless that was checked
 * before the call.
 */
function locate(pointer: Expression, what: string, access: AtomicAccess | undefined, scope: WasmScope): CheckedAddress {
  if (pointer.type.kind !== 'pointer') {
    throw new NcclError('NCCL_INTERNAL_ERROR', `An access uses ${typeName(pointer.type)}, which is not a pointer.`);
  }
  const { space, element } = pointer.type;
  const bytes = byteSize(element);
  const { context } = scope;
  const reaches = context.multicast.reaches(pointer);
  const { order: wanted, scope: reach, volatile, unscoped } = access ?? {};
  const order = {
    bytes,
    order: wanted,
    scope: reach,
    multicast: reaches,
    ...(volatile === undefined ? {} : { volatile }),
    ...(unscoped === undefined ? {} : { unscoped }),
  };
  const site = accessSite(context, { span: scope.span, what, access: order });
  const strong = context.shared && access !== undefined && space === 'global';
  const traced = context.traced && space === 'global';
  if (traced && access !== undefined) throw new Unsupported('an ordered access whose time is recorded');
  const trace = (address: WasmCode): WasmCode =>
    traced
      ? [
          ...scope.thread.code,
          i32(site),
          ...address,
          i32(bytes),
          i32(what === 'load' ? 0 : 1),
          ...scope.region.helpers.callGiven('traced'),
        ]
      : [];
  const base = spaceBase(space, scope);
  const affine = scope.track.access(pointer, bytes, alignment(element));
  if (affine !== undefined) {
    scope.touched.push({ base: affine.base, stride: affine.stride, bytes, stores: what !== 'load' });
    const start: WasmCode = paramCode(affine.base, scope);
    const moved: WasmCode =
      affine.stride === 0 ? start : [...start, ...times(scope.thread, affine.stride), op('i32.add')];
    const offset = scope.ahead * affine.stride;
    // If atomic accesses are requested, addresses are whole.
    if (strong && offset > 0)
      return { address: [...moved, i32(offset), op('i32.add')], offset: 0, element, site, strong };
    scope.code.push(...trace(moved));
    return { address: [...moved, ...base], offset, element, site, strong };
  }
  const [given, region] = emitExpression(pointer, scope);
  if (given === undefined || region === undefined) throw new Unsupported('a pointer without a region');
  const address = keep(scope, given);
  const of = space === 'global' ? 'host.regions' : space;
  const bound = (name: 'low' | 'high'): WasmCode => {
    if (region.bounds !== undefined) return region.bounds[name];
    if (region.text === undefined) throw new Unsupported('a pointer whose window differs by thread');
    const array = space === 'global' ? `${of}.${name}` : `${of}${name === 'low' ? 'Low' : 'High'}`;
    const text = scope.prologue.atom(`${array}[${region.text}]`);
    return [{ op: 'local.get', local: scope.fn.param(text, 'f64') }];
  };
  const end: WasmCode = [...address.code, f64(bytes), op('f64.add')];
  const inside: WasmCode = lines([
    ...address.code,
    ...bound('low'),
    op('f64.ge'),
    ...end,
    ...bound('high'),
    op('f64.le'),
    op('i32.and'),
  ]);
  const index = scope.fn.local('i32');
  const whole = keep(scope, value('i32', ...address.code, op('i64.trunc_sat_f64_u'), op('i32.wrap_i64')));
  const mask = alignment(element) - 1;
  const askew: WasmCode = mask === 0 ? [] : [...whole.code, i32(mask), op('i32.and'), op('i32.or')];
  const name = helper(context, 'accessFault');
  const limits = space === 'global' ? 'host.regions.low, host.regions.high' : `${space}Low, ${space}High`;
  scope.code.push(
    ...lines(
      [...inside, op('i32.eqz'), ...askew, block('if', scope.fn.label())],
      scope.region.fault(
        scope.thread,
        [address, region],
        (t, [x, r]) => `${name}(cta, ${t}, ${site}, ${bytes}, '${space}', ${x}, ${r}, ${limits});`,
      ),
      op('end'),
    ),
  );
  const own: WasmCode = space === 'local' ? [...times(scope.thread, context.arrays.bytes.local), op('i32.add')] : [];
  scope.code.push(...whole.code, ...own, ...base, set(index), ...trace([get(index)]));
  return { address: [{ op: 'local.get', local: index }], offset: 0, element, site, strong };
}

/** An address that JavaScript has as a number. */
function paramCode(text: string, scope: WasmScope): WasmCode {
  if (/^\d+$/.test(text)) return [i32(Number(text))];
  return [{ op: 'local.get', local: scope.fn.param(text, 'i32') }];
}

export function times(thread: WasmValue, factor: number): WasmCode {
  if (factor === 1) return thread.code;
  const shift = Math.log2(factor);
  return Number.isInteger(shift)
    ? [...thread.code, i32(shift), op('i32.shl')]
    : [...thread.code, i32(factor), op('i32.mul')];
}

const loads: Readonly<Record<ScalarKind, MemoryOp>> = {
  bool: 'i32.load8_u',
  i8: 'i32.load8_s',
  u8: 'i32.load8_u',
  i16: 'i32.load16_s',
  u16: 'i32.load16_u',
  i32: 'i32.load',
  u32: 'i32.load',
  i64: 'i64.load',
  u64: 'i64.load',
  f16: 'i32.load16_u',
  bf16: 'i32.load16_u',
  f32: 'f32.load',
  f64: 'f64.load',
  e4m3: 'i32.load8_u',
  e5m2: 'i32.load8_u',
  addr: 'i64.load',
};

const stores: Readonly<Record<ScalarKind, MemoryOp>> = {
  bool: 'i32.store8',
  i8: 'i32.store8',
  u8: 'i32.store8',
  i16: 'i32.store16',
  u16: 'i32.store16',
  i32: 'i32.store',
  u32: 'i32.store',
  i64: 'i64.store',
  u64: 'i64.store',
  f16: 'i32.store16',
  bf16: 'i32.store16',
  f32: 'f32.store',
  f64: 'f64.store',
  e4m3: 'i32.store8',
  e5m2: 'i32.store8',
  addr: 'i64.store',
};

/** True if a value's bytes in memory differ from those of the value that represents it. */
function isEncoded(kind: ScalarKind): boolean {
  return kind === 'addr' || kind === 'bool' || (isFloat(kind) && scalarInfo[kind].bits < 32);
}

function readSpot(spot: CheckedAddress, scope: WasmScope): Components {
  if (spot.strong) return readStrong(spot, scope);
  const { address, offset, element, site } = spot;
  if (shapeOf(element) !== undefined) return [value('v128', ...address, memory('v128.load', 16, offset))];
  const kind = elementScalar(element);
  const { bytes } = scalarInfo[kind];
  const width = widthOf(element);
  const elements = Array.from({ length: width }, (_, i): WasmValue => {
    const load = memory(loads[kind], bytes, offset + i * bytes);
    if (!isEncoded(kind)) return value(heldIn[kind], ...address, load);
    return ofBits(kind, value(kind === 'addr' ? 'i64' : 'i32', ...address, load), scope, () => site);
  });
  // The elements are read before any other effect.
  return width === 1 ? elements : elements.map((one) => copy(scope, one));
}

function writeSpot(spot: CheckedAddress, values: Components, scope: WasmScope): void {
  if (spot.strong) {
    writeStrong(spot, values, scope);
    return;
  }
  const { address, offset, element } = spot;
  const shape = shapeOf(element);
  if (shape !== undefined) {
    const packed = packedBytes(shape, first(values), scope);
    scope.code.push(...address, ...packed.code, memory('v128.store', 16, offset));
    return;
  }
  const kind = elementScalar(element);
  const { bytes } = scalarInfo[kind];
  values.forEach((one, i) => {
    const raw = isEncoded(kind) ? bitsOf(kind, one, scope) : one;
    scope.code.push(...address, ...raw.code, memory(stores[kind], bytes, offset + i * bytes));
  });
}
