import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { atomicMeaning, elementScalar, type AtomicOp, type AtomicStatement } from '@nccl-ts/ir';

import { widthOf } from '../emit-shared/types.ts';
import { updated, same, type CheckedAddress } from './checked-address.ts';
import { bitsOf, ofBits } from './emit-bytes.ts';
import { packedBytes } from './emit-halves.ts';
import { localValue, value } from './function-builder.ts';
import { block, brIf, lane, memory, op, set, type WasmCode } from './instruction.ts';
import type { MemoryOp } from './opcodes.ts';
import { copy, first, keep, type Components, type WasmScope } from './scope.ts';
import { shapeOf } from './types.ts';

/** Accesses that are a single step for other host threads, by the number of bytes of an integer. */
interface Strong {
  readonly type: 'i32' | 'i64';
  readonly load: MemoryOp;
  readonly store: MemoryOp;
  readonly exchange: MemoryOp;
}

const strong: Readonly<Record<1 | 2 | 4 | 8, Strong>> = {
  1: {
    type: 'i32',
    load: 'i32.atomic.load8_u',
    store: 'i32.atomic.store8',
    exchange: 'i32.atomic.rmw8.cmpxchg_u',
  },
  2: {
    type: 'i32',
    load: 'i32.atomic.load16_u',
    store: 'i32.atomic.store16',
    exchange: 'i32.atomic.rmw16.cmpxchg_u',
  },
  4: { type: 'i32', load: 'i32.atomic.load', store: 'i32.atomic.store', exchange: 'i32.atomic.rmw.cmpxchg' },
  8: { type: 'i64', load: 'i64.atomic.load', store: 'i64.atomic.store', exchange: 'i64.atomic.rmw.cmpxchg' },
};

type DirectOp = 'add' | 'sub' | 'and' | 'or' | 'xor' | 'xchg';

/** The operations that WebAssembly performs in one step. Others are loops of compare-and-swap. */
const direct: Readonly<Partial<Record<AtomicOp, DirectOp>>> = {
  add: 'add',
  sub: 'sub',
  and: 'and',
  or: 'or',
  xor: 'xor',
  exch: 'xchg',
};

const whole: readonly ScalarKind[] = ['i32', 'u32', 'i64', 'u64'];

function strongOf(kind: ScalarKind): Strong {
  const { bytes } = scalarInfo[kind];
  return strong[bytes === 1 || bytes === 2 || bytes === 4 ? bytes : 8];
}

/**
 * Reads the elements one by one, each in one step. A `v128` is read in two halves, because no
 * element is larger.
 */
export function readStrong({ address, element, site }: CheckedAddress, scope: WasmScope): Components {
  if (shapeOf(element) !== undefined) {
    const half = (offset: number): WasmCode => [...address, memory('i64.atomic.load', 8, offset)];
    return [copy(scope, value('v128', ...half(0), op('i64x2.splat'), ...half(8), lane('i64x2.replace_lane', 1)))];
  }
  const kind = elementScalar(element);
  const { type, load } = strongOf(kind);
  const { bytes } = scalarInfo[kind];
  return Array.from({ length: widthOf(element) }, (_, i) => {
    const raw = value(type, ...address, memory(load, bytes, i * bytes));
    return copy(
      scope,
      ofBits(kind, raw, scope, () => site),
    );
  });
}

export function writeStrong({ address, element }: CheckedAddress, values: Components, scope: WasmScope): void {
  const shape = shapeOf(element);
  if (shape !== undefined) {
    const both = keep(scope, packedBytes(shape, first(values), scope));
    for (const half of [0, 1]) {
      scope.code.push(...address, ...both.code, lane('i64x2.extract_lane', half));
      scope.code.push(memory('i64.atomic.store', 8, half * 8));
    }
    return;
  }
  const kind = elementScalar(element);
  const { bytes } = scalarInfo[kind];
  values.forEach((one, i) => {
    scope.code.push(...address, ...bitsOf(kind, one, scope).code, memory(strongOf(kind).store, bytes, i * bytes));
  });
}

/**
 * Emits an atomic operation on a word that other host threads may change too. If WebAssembly has
 * the operation, it is one step. Otherwise it repeats until no other thread has interfered.
 */
export function emitSharedAtomic(
  s: AtomicStatement,
  spot: CheckedAddress,
  values: Components,
  expected: Components,
  scope: WasmScope,
): Components {
  const { address, element, site } = spot;
  const kind = elementScalar(element);
  const { bytes } = scalarInfo[kind];
  const { type, load, exchange } = strongOf(kind);
  const operand = first(values);
  const known = direct[s.op];
  if (known !== undefined && whole.includes(kind)) {
    return [copy(scope, value(type, ...address, ...operand.code, memory(`${type}.atomic.rmw.${known}`, bytes)))];
  }
  const [exit, again] = [scope.fn.label(), scope.fn.label()];
  const number = scope.fn.local(type);
  const raw = localValue(type, number);
  const inner: WasmScope = { ...scope, code: [] };
  inner.code.push(...address, memory(load, bytes), set(number));
  const old = copy(
    inner,
    ofBits(kind, raw, inner, () => site),
  );
  const meaning = atomicMeaning[s.op];
  if (meaning.kind === 'compare') inner.code.push(...same(kind, old, first(expected)), op('i32.eqz'), brIf(exit));
  const next = updated(meaning, kind, old, operand, inner, site);
  const bits = keep(inner, bitsOf(kind, next, inner));
  inner.code.push(...address, ...raw.code, ...bits.code, memory(exchange, bytes), ...raw.code, op(`${type}.ne`));
  scope.code.push(block('block', exit), block('loop', again), ...inner.code, brIf(again), op('end'), op('end'));
  return [old];
}
