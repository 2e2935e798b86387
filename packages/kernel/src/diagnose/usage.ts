import type { AtomicMethodTable } from '../author/atomic-method.ts';

const atomicUsages: AtomicMethodTable<string> = {
  atomicAdd: "p.atomicAdd(i, value, 'relaxed', 'device')",
  atomicSub: "p.atomicSub(i, value, 'relaxed', 'device')",
  atomicMin: "p.atomicMin(i, value, 'relaxed', 'device')",
  atomicMax: "p.atomicMax(i, value, 'relaxed', 'device')",
  atomicAnd: "p.atomicAnd(i, value, 'relaxed', 'device')",
  atomicOr: "p.atomicOr(i, value, 'relaxed', 'device')",
  atomicXor: "p.atomicXor(i, value, 'relaxed', 'device')",
  atomicExch: "p.atomicExch(i, value, 'relaxed', 'device')",
  atomicCas: "p.atomicCas(i, expected, desired, 'acq_rel', 'device')",
};

/** An example call of each built-in, for hints. */
const usages: Readonly<Record<string, string>> = {
  vec: 'vec(f32, 4)',
  coopThread: 'coopThread()',
  coopWarp: 'coopWarp()',
  coopTile: 'coopTile(8)',
  coopLanes: 'coopLanes(mask)',
  coopWarpSpan: 'coopWarpSpan(warp0, nWarps, id)',
  coopCta: 'coopCta()',
  coopCoalesced: 'coopCoalesced() or coopCoalesced(coop)',
  coopAny: 'coopAny(coop)',
  coopGetLaneMask: 'coopGetLaneMask(coop)',
  coopIsThread: 'coopIsThread(coop)',
  coopWithinWarp: 'coopWithinWarp(coop)',
  threadRank: 'coop.threadRank()',
  size: 'coop.size()',
  sync: 'coop.sync()',
  bcast: 'coop.bcast(value, root)',
  waitAll: "coop.waitAll(n, (i) => flags.load(i, 'acquire') === 1)",
  fence: "fence('acq_rel', 'system')",
  fenceProxy: "fenceProxy('alias')",
  'fenceProxy.fabric': "fenceProxy('fabric', 'generic', 'fabric', 'release')",
  waitUntil: "waitUntil(() => flag.load(0, 'acquire') === 1)",
  shfl: 'shfl(value, lane)',
  shflUp: 'shflUp(value, delta)',
  shflDown: 'shflDown(value, delta)',
  shflXor: 'shflXor(value, mask)',
  ballot: 'ballot(condition)',
  any: 'any(condition)',
  all: 'all(condition)',
  min: 'min(a, b)',
  max: 'max(a, b)',
  abs: 'abs(x)',
  fma: 'fma(a, b, c)',
  'math.pow': 'math.pow(x, y)',
  popcount: 'popcount(x)',
  clz: 'clz(x)',
  ctz: 'ctz(x)',
  lane: 'lane(v, i)',
  withLane: 'withLane(v, i, x)',
  bitcast: 'bitcast(u32, x)',
  typeOf: 'typeOf(x)',
  sizeOf: 'sizeOf(f32)',
  sharedArray: 'sharedArray(f32, 256)',
  localArray: 'localArray(f32, 4)',
  unroll: 'for (const i of unroll(4))',
  clock: 'clock()',
  assert: "assert(condition, 'text')",
  requires: "requires(condition, 'text with {}', ...values)",
  print: "print('text', value)",
  load: "p.load(i) or p.load(i, 'acquire', 'system')",
  store: "p.store(i, value) or p.store(i, value, 'release', 'system')",
  offset: 'p.offset(n)',
  cast: 'p.cast(u32)',
  misalignment: 'p.misalignment(16)',
  ...atomicUsages,
  windowPointer: 'windowPointer(win, f32, offset, peer)',
  multicastPointer: 'multicastPointer(win, f32, offset, group)',
  unicastPointer: 'unicastPointer(p, member)',
  multicastSize: 'multicastSize(p)',
  withFields: 'withFields(value, { name: other })',
};

/**
 * Returns an example call of `name`. A built-in has the call of its documentation. Other functions
 * have `value` in parentheses.
 */
export function usageOf(name: string): string {
  const known = Object.hasOwn(usages, name) ? usages[name] : undefined;
  return known ?? `${name}(x)`;
}
