import { at as partAt, NcclError, scalarInfo } from '@nccl-ts/core';
import type { SiteAccess } from '@nccl-ts/findings';
import {
  atomicMeaning,
  elementScalar,
  typeName,
  type AtomicAccess,
  type AtomicOp,
  type AtomicStatement,
  type Expression,
  type LoadStatement,
  type PointerType,
  type StoreStatement,
} from '@nccl-ts/ir';

import { accessSite, helper, type Components } from '../emit-shared/context.ts';
import { emitSharedAtomic } from './emit-atomic.ts';
import { loadText, storeTexts, strongLoadText, strongStoreTexts } from '../emit-shared/emit-bitcast.ts';
import { emitExpression } from '../emit-shared/emit-expression.ts';
import { literal } from '../emit-shared/literals.ts';
import type { ReleaseScope } from '../program/cta-trace.ts';
import { atom, bound, fresh, type EmitScope } from '../emit-shared/scope.ts';
import { alignment, byteSize, isFloat, spaceLetter, widthOf } from '../emit-shared/types.ts';
import { sameText, updateText, type CheckedLocation } from './checked-location.ts';

/** The recorder that collects only the addresses of loads from global memory. */
export const ADDRESSES = 'addresses';

/** Returns the values that `s` reads. */
export function emitLoad(s: LoadStatement, scope: EmitScope): Components {
  const spot = locate(s.pointer, 'load', s.access, scope);
  watchSession(s, spot, scope);
  watch(spot, 'load', s.access, scope);
  // The condition of a wait counts its reads.
  if (s.access !== undefined && scope.recorder === undefined) watchRead(spot, scope);
  if (!scope.context.untimed.has(s)) traceLoad(spot, s.access !== undefined, scope);
  const values = readSpot(spot, scope);
  if (scope.awaited?.has(s.local) !== false) record(spot, values, scope);
  return values;
}

export function emitStore(s: StoreStatement, scope: EmitScope): void {
  const values = emitExpression(s.value, scope);
  const stored = values.length > 1 ? values.map((text) => atom(scope, text)) : values;
  const isCopy = s.broadcast === true;
  const spot = locate(s.pointer, 'store', s.access, scope, isCopy ? { broadcast: true } : {});
  watchSession(s, spot, scope);
  if (isCopy && scope.watched) scope.code.push(`cta.watch.broadcasts(${scope.thread}, ${spot.site});`);
  watch(spot, 'store', s.access, scope);
  traceChange(spot, { how: s.access === undefined ? undefined : 'store', isAnswered: false }, s.access, scope, () =>
    writeSpot(spot, stored, scope),
  );
}

/** The operations, besides sums, that change an integer in the same way in any order. */
const inAnyOrder: ReadonlySet<AtomicOp> = new Set(['min', 'max', 'and', 'or', 'xor']);

/** Describes a change whose result is not used, if such changes may come in any order. */
function changeOf(s: AtomicStatement, scope: EmitScope): Pick<SiteAccess, 'adds' | 'applies'> {
  const applies = scope.context.applied.get(s);
  if (applies !== undefined) return { applies };
  if (s.local !== undefined) return {};
  if (isSum(s)) return { adds: true };
  const scalar = elementScalar(pointerTypeOf(s.pointer).element);
  return inAnyOrder.has(s.op) && !isFloat(scalar) ? { applies: `${s.op} ${scalar}` } : {};
}

function isSum({ op, pointer }: AtomicStatement): boolean {
  return (op === 'add' || op === 'sub') && !isFloat(elementScalar(pointerTypeOf(pointer).element));
}

/** Reads, computes and writes. Returns the previous value. JavaScript runs one thread at a time. */
export function emitAtomic(s: AtomicStatement, scope: EmitScope): Components {
  const values = emitExpression(s.value, scope).map((text) => atom(scope, text));
  const expected = s.expected === undefined ? [] : emitExpression(s.expected, scope).map((text) => atom(scope, text));
  const change = changeOf(s, scope);
  const spot = locate(s.pointer, 'atomic', s.access, scope, change);
  if (spot.strong) return emitSharedAtomic(s, spot, partAt(values, 0), expected[0], scope);
  return traceChange(
    spot,
    { how: isSum(s) ? 'add' : 'update', isAnswered: s.local !== undefined },
    s.access,
    scope,
    () => updateSpot(s, spot, values, expected, scope),
  );
}

function updateSpot(
  s: AtomicStatement,
  spot: CheckedLocation,
  values: Components,
  expected: Components,
  scope: EmitScope,
): Components {
  const old = readSpot(spot, scope).map((text) => atom(scope, text));
  const meaning = atomicMeaning[s.op];
  if (meaning.kind === 'compare') {
    const kind = elementScalar(spot.element);
    const test = old.map((text, i) => sameText(isFloat(kind), text, partAt(expected, i))).join(' && ');
    watch(spot, 'update', s.access, scope, `(${test})`);
    scope.code.push(`if (${test}) {`);
    writeSpot(spot, values, scope);
    scope.code.push('}');
  } else {
    watch(spot, 'update', s.access, scope, 'true');
    const next = old.map((text, i) => updateText(meaning, spot, text, partAt(values, i), scope));
    writeSpot(spot, next, scope);
  }
  return old;
}

function pointerTypeOf(pointer: Expression): PointerType {
  if (pointer.type.kind !== 'pointer') {
    throw new NcclError('NCCL_INTERNAL_ERROR', `An access uses ${typeName(pointer.type)}, which is not a pointer.`);
  }
  return pointer.type;
}

/**
 * Makes sure that the bytes are in the pointer's region and aligned. If the loop over the threads
 * has checked all of them, the index is an int32 that grows with the thread.
 */
function locate(
  pointer: Expression,
  what: string,
  access: AtomicAccess | undefined,
  scope: EmitScope,
  change: Partial<Pick<SiteAccess, 'adds' | 'applies' | 'broadcast'>> = {},
): CheckedLocation {
  const { space, element } = pointerTypeOf(pointer);
  const letter = spaceLetter[space];
  const bytes = byteSize(element);
  const unit = scalarInfo[elementScalar(element)].bytes;
  const where = accessSite(scope.context, {
    span: scope.span,
    what,
    ...(what === 'load' && scope.context.polled.has(scope.span) ? { polls: true } : {}),
    ...(scope.context.waited.has(scope.span) ? { waits: true } : {}),
    ...(what === 'load' && scope.context.nonCoherent.has(scope.span) ? { isNonCoherent: true } : {}),
    access: {
      bytes,
      order: access?.order,
      scope: access?.scope,
      ...(access?.volatile === true ? { volatile: true } : {}),
      ...(access?.unscoped === true ? { unscoped: true } : {}),
      multicast: scope.context.multicast.reaches(pointer),
      ...change,
    },
  });
  const view = (name: string): string =>
    bound(scope, `${letter}_${name}`, space === 'global' ? `host.heap.${name}` : `cta.${space}.${name}`);
  const strong = scope.context.shared && access !== undefined && space === 'global';
  const spot = { view, element, site: where, space, strong };
  const needsNotice = (scope.traced && space === 'global') || (scope.watched && space !== 'local');
  const affine = needsNotice ? undefined : scope.track?.access(pointer, bytes, alignment(element));
  if (affine !== undefined) return { ...spot, index: affine.element(unit) };
  const [addressText = '0', regionText = '0'] = emitExpression(pointer, scope);
  const address = atom(scope, addressText);
  const region = atom(scope, regionText);
  const bounds = space === 'global' ? 'host.regions' : `support.${space}Regions`;
  const low = bound(scope, `${letter}_low`, space === 'global' ? `${bounds}.low` : `${space}Low`);
  const high = bound(scope, `${letter}_high`, space === 'global' ? `${bounds}.high` : `${space}High`);
  const mask = alignment(element) - 1;
  const misaligned = mask === 0 ? '' : ` || (${address} & ${mask}) !== 0`;
  const fault = `${helper(scope.context, 'accessFault')}(cta, ${scope.thread}, ${where}, ${literal(bytes)}, '${space}', ${address}, ${region}, ${low}, ${high})`;
  scope.code.push(
    `if (!(${address} >= ${low}[${region}] && ${address} + ${bytes} <= ${high}[${region}])${misaligned}) ${fault};`,
  );
  const offset = space === 'local' ? `(${address} + ${scope.thread} * ${scope.context.arrays.bytes.local})` : address;
  const name = fresh(scope, 'i');
  const shift = Math.log2(unit);
  scope.code.push(`const ${name} = ${shift === 0 ? `${offset} >>> 0` : `${offset} >>> ${shift}`};`);
  return { ...spot, index: name, address, region };
}

/** Reports to the watch where sessions begin and end. */
function watchSession(
  s: LoadStatement | StoreStatement,
  { address, space, site }: CheckedLocation,
  scope: EmitScope,
): void {
  if (!scope.watched || space !== 'global' || s.access !== undefined || address === undefined) return;
  const { sessions } = scope.context;
  const begun = s.kind === 'load' ? sessions.begunBy(s.span) : undefined;
  if (begun !== undefined) {
    scope.code.push(`cta.watch.beginsSession(${scope.thread}, ${address}, ${site}, ${begun});`);
  } else if (s.kind === 'store' && sessions.isEnd(s.span)) {
    scope.code.push(`cta.watch.endsSession(${address}, ${site});`);
  }
}

/** Reports a read of a word that may be a signal to the watch. */
function watchRead({ address, space, element }: CheckedLocation, scope: EmitScope): void {
  if (!scope.watched || space !== 'global' || address === undefined || typeName(element) !== 'u64') return;
  scope.code.push(`cta.watch.reads(${address});`);
}

/**
 * Reports an access to the watch before it happens. `wrote` is true if a read-modify-write writes.
 */
function watch(
  { address, space, element, site }: CheckedLocation,
  how: 'load' | 'store' | 'update',
  access: AtomicAccess | undefined,
  scope: EmitScope,
  wrote?: string,
): void {
  if (!scope.watched || space === 'local' || address === undefined) return;
  const to = bound(scope, `w_${space}`, `cta.watch.${space}`);
  if (wrote !== undefined) scope.code.push(`${to}.update(${scope.thread}, ${address}, ${site}, ${wrote});`);
  else if (access !== undefined) scope.code.push(`${to}.${how}Strong(${scope.thread}, ${address}, ${site});`);
  else scope.code.push(`${to}.${how}(${scope.thread}, ${address}, ${byteSize(element)}, ${site});`);
}

function elementIndex(spot: CheckedLocation, i: number): string {
  return i === 0 ? spot.index : `${spot.index} + ${i}`;
}

function readSpot(spot: CheckedLocation, scope: EmitScope): Components {
  const kind = elementScalar(spot.element);
  return Array.from({ length: widthOf(spot.element) }, (_, i) => {
    const name = fresh(scope, 'm');
    const read = spot.strong ? strongLoadText : loadText;
    scope.code.push(`const ${name} = ${read(scope, spot.view, kind, elementIndex(spot, i), `${spot.site}`)};`);
    return name;
  });
}

function writeSpot(spot: CheckedLocation, values: Components, scope: EmitScope): void {
  const kind = elementScalar(spot.element);
  const write = spot.strong ? strongStoreTexts : storeTexts;
  values.forEach((value, i) => scope.code.push(...write(scope, spot.view, kind, elementIndex(spot, i), value)));
}

function traceLoad(
  { address, region, space, element, site }: CheckedLocation,
  ordered: boolean,
  scope: EmitScope,
): void {
  if (!scope.traced || space !== 'global' || address === undefined || region === undefined) return;
  scope.code.push(
    `cta.trace.loads(${scope.thread}, ${site}, ${address}, ${region}, ${byteSize(element)}, ${ordered});`,
  );
}

/**
 * The scope as a trace distinguishes it: a cluster's threads share no more than the device's
 * memory.
 */
export function releaseScope(scope: AtomicAccess['scope'] | undefined): ReleaseScope {
  return scope === 'system' ? 'system' : 'device';
}

/**
 * Reports the bytes that `change` writes to the trace, and the change of a word if `how` marks it
 * as one, or if a thread may wait for it without an order. `isAnswered` is true if the thread uses
 * the value before the change.
 */
function traceChange<T>(
  { address, region, space, element, site }: CheckedLocation,
  { how, isAnswered }: { readonly how: 'store' | 'add' | 'update' | undefined; readonly isAnswered: boolean },
  access: AtomicAccess | undefined,
  scope: EmitScope,
  change: () => T,
): T {
  if (!scope.traced || space !== 'global' || address === undefined || region === undefined) return change();
  const bytes = byteSize(element);
  const at = `${scope.thread}, ${site}, ${address}, ${region}, ${bytes}`;
  if (how === undefined && !scope.context.polledVectors.has(bytes)) {
    scope.code.push(`cta.trace.stores(${scope.thread}, ${site}, ${region}, ${bytes});`);
    return change();
  }
  const word = fresh(scope, 'word');
  const order = access?.order;
  const isRelease = order === 'release' || order === 'acq_rel' || order === 'seq_cst';
  const releases = isRelease && access?.scope !== 'block' ? `'${releaseScope(access?.scope)}'` : undefined;
  const opens = how === undefined ? `sends(${at})` : `opens(${at}, '${how}', ${isAnswered}, ${releases})`;
  scope.code.push(`const ${word} = cta.trace.${opens};`);
  const result = change();
  const isOpen = how === undefined ? `if (${word} !== undefined) ` : '';
  scope.code.push(`${isOpen}cta.trace.closes(${word});`);
  return result;
}

/**
 * Records a load for people. The names of types are generated, not the kernel's: letters, digits,
 * commas, brackets.
 */
function record(spot: CheckedLocation, values: Components, scope: EmitScope): void {
  const [value = '0'] = values;
  const { address, region, space, element } = spot;
  if (scope.recorder === undefined || address === undefined || region === undefined) return;
  if (scope.recorder === ADDRESSES) {
    if (space === 'global') scope.code.push(`${ADDRESSES}.push(${address});`);
    return;
  }
  const fields = `address: ${address}, region: ${region}, space: '${space}', type: '${typeName(element)}', value: ${value}`;
  scope.code.push(`${scope.recorder}.push({ ${fields} });`);
}
