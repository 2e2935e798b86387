import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { BinaryExpression, ConvertExpression, Expression, LocalId, PointerType } from '@nccl-ts/ir';

import { helper, isUniform } from './context.ts';
import { convertText } from './emit-convert.ts';
import { handleText } from './emit-field.ts';
import { binaryText } from './emit-operation.ts';
import { literal } from './literals.ts';
import { LocalHistory, type HistoryPoint } from './local-history.ts';
import type { Prologue } from './prologue.ts';
import { bound, type AffineAccess, type Tracker } from './scope.ts';
import { byteSize, scalarOf, spaceLetter } from './types.ts';

/**
 * A whole number whose value in thread `t` of the loop is `base + step * t`. `base` is computed
 * before the loop.
 *
 * For 32-bit integers the sum is taken modulo 2^32, with `base` in range. If it is in range for the
 * last thread too, it is exact, since the first is thread 0. For wider types it is exact, which has
 * been checked.
 */
export interface Affine {
  readonly kind: ScalarKind;
  readonly base: string;
  readonly step: number;
}

/** A pointer's byte address as such a sum. All threads have the same region. */
interface AffinePointer {
  readonly address: string;
  readonly region: string;
  readonly step: number;
}

/**
 * The known facts about a local: the expression to which it was set, and the facts at that time.
 */
type LocalFacts = { readonly value: Expression; readonly env: HistoryPoint } | { readonly affine: Affine };

const largestStep = 2 ** 24;

/**
 * Tracks which values are affine in the thread while the code of a loop over the threads is
 * generated.
 */
export class AffineTracker implements Tracker {
  readonly #prologue: Prologue;
  readonly #accesses = new Map<string, AffineAccess>();
  readonly #known = new LocalHistory<LocalFacts>();

  constructor(prologue: Prologue) {
    this.#prologue = prologue;
  }

  /** True if an access needs the checks before the loop. */
  get isUsed(): boolean {
    return this.#accesses.size > 0;
  }

  assign(local: LocalId, value: Expression | undefined): void {
    this.#known.set(local, value === undefined ? undefined : { value, env: this.#known.now });
  }

  /** Records the value of a local in thread `t`. */
  define(local: LocalId, affine: Affine): void {
    this.#known.set(local, { affine });
  }

  branch(body: () => void): void {
    const before = this.#known.now;
    body();
    this.#known.back(before);
  }

  forget(locals: ReadonlySet<LocalId>): void {
    for (const local of locals) this.#known.set(local, undefined);
  }

  access(pointer: Expression, bytes: number, align: number): AffineAccess | undefined {
    if (pointer.type.kind !== 'pointer') return undefined;
    const affine = this.#pointer(pointer, this.#known.now);
    if (affine === undefined || affine.step % align !== 0) return undefined;
    const { space } = pointer.type;
    const key = [space, affine.address, affine.region, affine.step, bytes, align].join();
    let access = this.#accesses.get(key);
    if (access === undefined) {
      access = this.#check(affine, space, bytes, align);
      this.#accesses.set(key, access);
    }
    return access;
  }

  /**
   * Adds tests of the first and the last access before the loop. The accesses in between lie
   * between them.
   */
  #check(
    { address, region, step }: AffinePointer,
    space: PointerType['space'],
    bytes: number,
    align: number,
  ): AffineAccess {
    const { scope } = this.#prologue;
    const letter = spaceLetter[space];
    const low = bound(scope, `${letter}_low`, space === 'global' ? 'host.regions.low' : `${space}Low`);
    const high = bound(scope, `${letter}_high`, space === 'global' ? 'host.regions.high' : `${space}High`);
    const last = this.#atLast(address, step);
    const [least, most] = step < 0 ? [last, address] : [address, last];
    this.#prologue.require(`${least} >= ${low}[${region}]`);
    this.#prologue.require(`${most} + ${bytes} <= ${high}[${region}]`);
    if (align > 1) this.#prologue.require(`(${address} & ${align - 1}) === 0`);
    // A thread's own memory begins `bytes.local` bytes after the previous thread's.
    const stride = step + (space === 'local' ? scope.context.arrays.bytes.local : 0);
    const bases = new Map<number, string>();
    return {
      base: address,
      stride,
      element: (unit) => {
        let base = bases.get(unit);
        if (base === undefined) {
          base = this.#prologue.atom(unit === 1 ? `(${address} | 0)` : `(${address} / ${unit} | 0)`);
          this.#prologue.require(`${most} <= ${literal(0x7fffffff * unit - bytes)}`);
          bases.set(unit, base);
        }
        return indexText(base, stride / unit);
      },
    };
  }

  #atLast(base: string, step: number): string {
    if (step === 0) return base;
    const last = this.#prologue.last;
    return this.#prologue.atom(step === 1 ? `(${base} + ${last})` : `(${base} + ${literal(step)} * ${last})`);
  }

  /**
   * Returns `e` as base and step, in its integer type; `undefined` if it is not known to be affine.
   */
  affine(e: Expression): Affine | undefined {
    return this.#affine(e, this.#known.now);
  }

  /**
   * Returns `affine(e)` without its modulus. The code tests it for the first and the last thread.
   */
  exact(e: Expression): Affine | undefined {
    const affine = this.affine(e);
    return affine === undefined ? undefined : this.#exact(affine);
  }

  #affine(e: Expression, env: HistoryPoint): Affine | undefined {
    const kind = scalarOf(e.type);
    if (kind === undefined || e.type.kind !== 'scalar' || !isSupported(kind)) return undefined;
    const structural = this.#structural(e, kind, env);
    return structural ?? this.#uniform(e, kind);
  }

  #uniform(e: Expression, kind: ScalarKind): Affine | undefined {
    const [text] = this.#prologue.hoist(e) ?? [];
    if (text === undefined) return undefined;
    if (!isBig(kind)) return { kind, base: text, step: 0 };
    return this.#checked({ kind, base: this.#prologue.atom(`Number(${text})`), step: 0 });
  }

  #structural(e: Expression, kind: ScalarKind, env: HistoryPoint): Affine | undefined {
    switch (e.kind) {
      case 'builtin': {
        const { y, z } = this.#prologue.scope.context.specialisation.blockDim;
        const linear = e.builtin === 'threadLinear' || (e.builtin === 'threadIdx.x' && y * z === 1);
        return linear ? { kind, base: '0', step: 1 } : undefined;
      }
      case 'local': {
        const known = this.#known.at(e.local, env);
        if (known === undefined) return undefined;
        return 'affine' in known ? known.affine : this.#affine(known.value, known.env);
      }
      case 'binary':
        return this.#binary(e, kind, env);
      case 'convert':
        return this.#convert(e, kind, env);
      case 'intrinsic':
        return this.#affine(e.expansion, env);
      case 'constant':
      case 'param':
      case 'array':
      case 'field':
      case 'unary':
      case 'compare':
      case 'logical':
      case 'select':
      case 'bitcast':
      case 'math':
      case 'vector':
      case 'lane':
      case 'withLane':
      case 'windowPointer':
      case 'addressPointer':
      case 'multicastPointer':
      case 'unicastPointer':
      case 'multicastSize':
      case 'clusterPointer':
      case 'pointerOffset':
      case 'pointerCast':
        return undefined;
    }
  }

  #binary(e: BinaryExpression, kind: ScalarKind, env: HistoryPoint): Affine | undefined {
    if (e.op !== 'add' && e.op !== 'sub' && e.op !== 'mul' && e.op !== 'shl') return undefined;
    // Values that all threads share are computed as written, unless they can fault.
    if (isUniform(this.#prologue.scope.context, e) && !isWide(kind) && this.#prologue.hoist(e) !== undefined)
      return undefined;
    const left = this.#affine(e.left, env);
    const right = this.#affine(e.right, env);
    if (left === undefined || right === undefined) return undefined;
    const step = combinedStep(e, left, right);
    if (step === undefined || Math.abs(step) > largestStep) return undefined;
    const { scope } = this.#prologue;
    if (!isWide(kind)) {
      const base = binaryText(scope.context, e.op, kind, left.base, right.base, { thread: '0', site: () => 0 });
      return { kind, base: this.#prologue.atom(base), step };
    }
    if (e.op === 'shl') return undefined;
    const sign = { add: '+', sub: '-', mul: '*' }[e.op];
    return this.#checked({ kind, base: this.#prologue.atom(`(${left.base} ${sign} ${right.base})`), step });
  }

  #convert(e: ConvertExpression, kind: ScalarKind, env: HistoryPoint): Affine | undefined {
    const from = scalarOf(e.operand.type);
    if (from === undefined || !isSupported(from)) return undefined;
    const operand = this.#affine(e.operand, env);
    if (operand === undefined) return undefined;
    const { scope } = this.#prologue;
    if (isWide(kind)) return this.#checked({ ...this.#exact(operand), kind });
    // Modulo 2^32 both have the same value.
    const where = { thread: '0', site: () => 0 };
    const base = isWide(from)
      ? `(${operand.base} ${kind === 'u32' ? '>>> 0' : '| 0'})`
      : convertText(scope.context, from, kind, operand.base, where);
    return { kind, base: this.#prologue.atom(base), step: operand.step };
  }

  /** Returns `affine` as a sum without a modulus. */
  #exact(affine: Affine): Affine {
    return affine.step === 0 || isWide(affine.kind) ? affine : this.#checked(affine);
  }

  /**
   * Adds tests that `affine` is in its type's range, and exact, for the first and the last thread.
   */
  #checked(affine: Affine): Affine {
    const { kind, base, step } = affine;
    const { min, max } = exactRange(kind);
    const ends = step === 0 ? [base] : [base, this.#atLast(base, step)];
    for (const end of new Set(ends)) {
      if (!/^\d+$/.test(end)) this.#prologue.require(`${end} >= ${literal(min)}`, `${end} <= ${literal(max)}`);
    }
    return affine;
  }

  #pointer(e: Expression, env: HistoryPoint): AffinePointer | undefined {
    switch (e.kind) {
      case 'pointerCast':
        return this.#pointer(e.pointer, env);
      case 'intrinsic':
        return this.#pointer(e.expansion, env);
      case 'local': {
        const known = this.#known.at(e.local, env);
        return known !== undefined && 'value' in known
          ? this.#pointer(known.value, known.env)
          : this.#uniformPointer(e);
      }
      case 'pointerOffset': {
        const pointer = this.#pointer(e.pointer, env);
        const index = pointer === undefined ? undefined : this.#affine(e.index, env);
        if (pointer === undefined || index === undefined) return undefined;
        const exact = this.#exact(index);
        const bytes = byteSize(e.type.element);
        const step = pointer.step + exact.step * bytes;
        const offset = exact.base === '0' ? '' : ` + ${exact.base}${bytes === 1 ? '' : ` * ${bytes}`}`;
        return {
          address: this.#prologue.atom(offset === '' ? pointer.address : `(${pointer.address}${offset})`),
          region: pointer.region,
          step,
        };
      }
      case 'windowPointer': {
        const peer = this.#affine(e.peer, env);
        const offset = peer?.step === 0 ? this.#affine(e.offset, env) : undefined;
        if (peer === undefined || offset === undefined || !this.#prologue.isFixed(e.window)) return undefined;
        const { address, region } = this.#windowStart(e.window, peer.base);
        return { address: this.#prologue.atom(`(${address} + ${offset.base})`), region, step: offset.step };
      }
      case 'param':
      case 'array':
      case 'select':
      case 'addressPointer':
        return this.#uniformPointer(e);
      case 'constant':
      case 'builtin':
      case 'field':
      case 'unary':
      case 'binary':
      case 'compare':
      case 'logical':
      case 'convert':
      case 'bitcast':
      case 'math':
      case 'vector':
      case 'lane':
      case 'withLane':
      case 'multicastPointer':
      case 'unicastPointer':
      case 'multicastSize':
      case 'clusterPointer':
        return undefined;
    }
  }

  #uniformPointer(e: Expression): AffinePointer | undefined {
    const [address, region] = this.#prologue.hoist(e) ?? [];
    return address === undefined || region === undefined ? undefined : { address, region, step: 0 };
  }

  /** Computes the base and region of a peer's copy of a window, once for all accesses to it. */
  #windowStart(window: Expression, peer: string): { readonly address: string; readonly region: string } {
    const { scope } = this.#prologue;
    const of = `(${handleText(window, scope)}, ${peer})`;
    return {
      address: this.#prologue.atom(`${helper(scope.context, 'peerBase')}${of}`),
      region: this.#prologue.atom(`${helper(scope.context, 'peerRegion')}${of}`),
    };
  }
}

function indexText(base: string, stride: number): string {
  if (stride === 0) return base;
  if (stride === 1) return `(${base} + t | 0)`;
  const shift = Math.log2(stride);
  return Number.isInteger(shift)
    ? `(${base} + (t << ${shift}) | 0)`
    : `(${base} + Math.imul(t, ${literal(stride)}) | 0)`;
}

function combinedStep(e: BinaryExpression, left: Affine, right: Affine): number | undefined {
  const factor = (e.right.kind === 'constant' ? Number(e.right.value) : undefined) ?? 0;
  switch (e.op) {
    case 'add':
      return left.step + right.step;
    case 'sub':
      return left.step - right.step;
    case 'mul':
      if (left.step === 0 && right.step === 0) return 0;
      if (right.step === 0 && e.right.kind === 'constant') return left.step * factor;
      return left.step === 0 && e.left.kind === 'constant' ? Number(e.left.value) * right.step : undefined;
    case 'shl':
      if (left.step === 0 && right.step === 0) return 0;
      return e.right.kind === 'constant' ? left.step * 2 ** (factor & 31) : undefined;
    case 'div':
    case 'rem':
    case 'and':
    case 'or':
    case 'xor':
    case 'shr':
    case 'min':
    case 'max':
      return undefined;
  }
}

function isBig(kind: ScalarKind): boolean {
  return kind === 'i64' || kind === 'u64';
}

function isWide(kind: ScalarKind): boolean {
  return isBig(kind) || kind === 'addr';
}

function isSupported(kind: ScalarKind): boolean {
  return isWide(kind) || kind === 'u32' || kind === 'i32';
}

/** Returns the values of `kind` that a double represents exactly. */
export function exactRange(kind: ScalarKind): { readonly min: number; readonly max: number } {
  const { min = 0n, max = 0n } = scalarInfo[kind];
  const limit = Number.MAX_SAFE_INTEGER;
  return { min: Math.max(Number(min), -limit), max: Math.min(Number(max), limit) };
}
