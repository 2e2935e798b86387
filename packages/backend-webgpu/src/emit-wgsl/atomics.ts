import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { atomicMeaning, type AtomicOp } from '@nccl-ts/ir';
import { binaryText, fromBitsText, toBitsText, wgslScalar, type ArithmeticContext } from './arithmetic/index.ts';
import { RESOURCE_BASE } from '../memory/address-map.ts';
import type { WgslEmitContext } from './context.ts';
import type { MemorySpace } from './memory.ts';

/**
 * The number of attempts of an exchange before it counts as hanging. It fails only if another
 * exchange came first.
 */
const tries = '0x100000u';

/**
 * Returns the name of a function `(p: nts_ptr, [expected,] value, site) -> value before` that
 * reads, modifies and writes in one step. Operations without a WGSL atomic use compare-exchange on
 * the surrounding word. 64-bit operations use a lock.
 */
export function atomicText(op: AtomicOp, kind: ScalarKind, space: MemorySpace, c: WgslEmitContext): string {
  const name = `nts_atomic_${space}_${op}_${kind}`;
  return c.helper(name, () => {
    if (scalarInfo[kind].bits === 64 || kind === 'addr') return wideText(name, op, kind, space, c);
    const native = nativeText(name, op, kind, space, c);
    return native ?? exchangeText(name, op, kind, space, c);
  });
}

function comparing(op: AtomicOp): boolean {
  return atomicMeaning[op].kind === 'compare';
}

function parameters(op: AtomicOp, type: string): string {
  return comparing(op) ? `expected: ${type}, value: ${type}` : `value: ${type}`;
}

/** Returns the new value, from the texts `current`, `value` and `expected`. */
function nextText(op: AtomicOp, kind: ScalarKind, context: ArithmeticContext): string {
  const meaning = atomicMeaning[op];
  return meaning.kind === 'binary' ? binaryText(meaning.op, kind, 'current', 'value', context) : 'value';
}

/** WGSL's own functions. Its compare-exchange is missing, because it may fail spuriously. */
const natives: Readonly<Partial<Record<AtomicOp, string>>> = {
  add: 'atomicAdd',
  sub: 'atomicSub',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  exch: 'atomicExchange',
  min: 'atomicMin',
  max: 'atomicMax',
};

function nativeText(
  name: string,
  op: AtomicOp,
  kind: ScalarKind,
  space: MemorySpace,
  c: WgslEmitContext,
): string | undefined {
  const fn = natives[op];
  const signedOrder = kind === 'i32' && (op === 'min' || op === 'max');
  if (fn === undefined || (kind !== 'u32' && kind !== 'i32') || signedOrder) return undefined;
  const place = nativeElement(space, c);
  if (place === undefined) return undefined;
  const bits = toBitsText(kind, 'value', c.arithmetic);
  const result = fromBitsText(kind, `${fn}(&${place}, ${bits})`, c.arithmetic);
  return define(name, op, kind, space, c, [`  return ${result};`]);
}

/** Returns the atomic word at address `a`, if it is certain to be in one buffer. */
function nativeElement(space: MemorySpace, c: WgslEmitContext): string | undefined {
  if (!c.memory.isAtomic(space)) return undefined;
  switch (space) {
    case 'heap':
      return c.facts.options.segments === 0 ? 'nts_heap[a >> 2u]' : undefined;
    case 'resources':
      return `nts_resources[(a - ${RESOURCE_BASE}u) >> 2u]`;
    case 'shared':
      return element(c.memory.sharedWord('a >> 2u'));
    case 'any':
    case 'local':
      return undefined;
  }
}

function element([buffer, at]: readonly [string, string]): string {
  return `${buffer}[${at}]`;
}

function exchangeText(name: string, op: AtomicOp, kind: ScalarKind, space: MemorySpace, c: WgslEmitContext): string {
  const { bytes } = scalarInfo[kind];
  const mask = bytes === 4 ? '0xffffffffu' : bytes === 2 ? '(0xffffu << shift)' : '(0xffu << shift)';
  const extract = bytes === 4 ? 'old' : bytes === 2 ? '((old >> shift) & 0xffffu)' : '((old >> shift) & 0xffu)';
  const context = { ...baseContext(c), site: 'site' };
  const same = toBitsText(kind, 'expected', context);
  return define(name, op, kind, space, c, [
    ...(bytes < 4 ? [`  let shift = (a & ${bytes === 1 ? 3 : 2}u) * 8u;`] : []),
    `  var old = ${c.memory.get(space)}(a);`,
    `  for (var n = 0u; n < ${tries}; n++) {`,
    `    let bits = ${extract};`,
    `    let current = ${fromBitsText(kind, 'bits', context)};`,
    // A compare-exchange compares bits, as in C++.
    ...(comparing(op) ? [`    if (bits != ${same}) { return current; }`] : []),
    `    let next = (${toBitsText(kind, nextText(op, kind, context), context)})${bytes === 4 ? '' : ' << shift'};`,
    `    let r = ${c.memory.exchange(space)}(a, old, (old & ~${mask}) | (next & ${mask}));`,
    '    if (r.y != 0u) { return current; }',
    '    old = r.x;',
    '  }',
    '  nts_fault(site, nts_out_of_fuel);',
    `  return ${wgslScalar(kind)}();`,
  ]);
}

function wideText(name: string, op: AtomicOp, kind: ScalarKind, space: MemorySpace, c: WgslEmitContext): string {
  const context = { ...baseContext(c), site: 'site' };
  const get = c.memory.get(space);
  const set = c.memory.set(space);
  const act = [
    `      let bits = vec2u(${get}(a), ${get}(a + 4u));`,
    `      let current = ${fromBitsText(kind, 'bits', context)};`,
    `      var next = ${toBitsText(kind, nextText(op, kind, context), context)};`,
    ...(comparing(op) ? [`      if (any(bits != ${toBitsText(kind, 'expected', context)})) { next = bits; }`] : []),
    `      ${set}(a, next.x);`,
    `      ${set}(a + 4u, next.y);`,
  ];
  if (space === 'local') return define(name, op, kind, space, c, [...act, '  return current;']);
  c.used.wide = true;
  const lock = space === 'shared' ? 'nts_shared_lock' : 'nts_status[nts_locks + ((a >> 3u) & 31u)]';
  return define(name, op, kind, space, c, [
    // The thread with the lock releases it in the same round, before anything for which the others
    // wait.
    `  for (var n = 0u; n < ${tries}; n++) {`,
    `    if (atomicExchange(&${lock}, 1u) == 0u) {`,
    ...act,
    `      atomicStore(&${lock}, 0u);`,
    '      return current;',
    '    }',
    '  }',
    '  nts_fault(site, nts_out_of_fuel);',
    `  return ${wgslScalar(kind)}();`,
  ]);
}

function baseContext(c: WgslEmitContext): Pick<ArithmeticContext, 'exact' | 'use'> {
  return { exact: c.arithmetic.exact, use: c.arithmetic.use };
}

function define(
  name: string,
  op: AtomicOp,
  kind: ScalarKind,
  space: MemorySpace,
  c: WgslEmitContext,
  body: readonly string[],
): string {
  const type = wgslScalar(kind);
  const { bytes } = scalarInfo[kind];
  return [
    `fn ${name}(p: nts_ptr, ${parameters(op, type)}, site: u32) -> ${type} {`,
    `  let a = ${c.memory.checkedIndex(space, bytes)};`,
    ...body,
    '}',
  ].join('\n');
}
