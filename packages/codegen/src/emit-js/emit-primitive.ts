import { NcclError } from '@nccl-ts/core';
import { typeName, type CallStatement, type Expression } from '@nccl-ts/ir';

import { accessSite, helper, site, stringText, type Components } from '../emit-shared/context.ts';
import { handleText } from '../emit-shared/emit-field.ts';
import { emitExpression } from '../emit-shared/emit-expression.ts';
import { atom, type EmitScope } from '../emit-shared/scope.ts';

/** The support function that implements a primitive, and the type of its result. */
interface SimPrimitive {
  readonly function: string;
  readonly result?: string;
}

/** The primitives that the simulator supports. */
export const primitives: Readonly<Record<string, SimPrimitive>> = Object.freeze({
  'gin.post': { function: 'ginPost' },
  'gin.acquire': { function: 'ginAcquire' },
  'gin.reset': { function: 'ginReset' },
  'gin.checkListed': { function: 'ginCheckListed' },
  'gin.release': { function: 'ginRelease' },
  'shmem.post': { function: 'shmemPost' },
  'shmem.fence': { function: 'shmemFence' },
  'cft.leIdOf': { function: 'cftLeId', result: 'u32' },
  'cft.leBaseOf': { function: 'cftLeBase', result: 'addr' },
  'cft.begin': { function: 'cftBegin' },
  'cft.end': { function: 'cftEnd' },
  'cft.post': { function: 'cftPost' },
  'cft.postRed': { function: 'cftPostRed' },
  'cft.submit': { function: 'cftSubmit' },
  'cft.arrive': { function: 'cftArrive' },
  'cft.arriveAt': { function: 'cftArriveAt' },
  'cft.settleReads': { function: 'cftSettleReads' },
  'dependency.isOver': { function: 'dependencyIsOver', result: 'bool' },
  'dependency.acquire': { function: 'acquireDependency' },
  'cluster.arrive': { function: 'clusterArrive' },
  'cluster.isMet': { function: 'clusterIsMet', result: 'bool' },
  'cluster.acquire': { function: 'clusterAcquire' },
  'cluster.leave': { function: 'clusterLeave' },
  launchDependents: { function: 'launchDependents' },
  'bulk.begin': { function: 'bulkBegin' },
  'bulk.copied': { function: 'bulkCopied' },
  'bulk.end': { function: 'bulkEnd' },
  'bulk.commit': { function: 'bulkCommit' },
  'bulk.wait': { function: 'bulkWait' },
  'bulk.fence': { function: 'bulkFence' },
  findWindow: { function: 'findWindow', result: 'Window' },
  windowOffset: { function: 'windowOffset', result: 'addr' },
});

/**
 * Emits a primitive as a call of its support function. The arguments are the CTA, the thread, the
 * site, then the words and values of the call in order. A pointer is an address and its region. A
 * pointer to shared memory adds the bounds of its array at the end. Returns the text of the result,
 * if the kernel uses it.
 */
export function emitPrimitive(s: CallStatement, scope: EmitScope): Components | undefined {
  const primitive = Object.hasOwn(primitives, s.name) ? primitives[s.name] : undefined;
  const local = s.local === undefined ? undefined : scope.context.module.locals[s.local];
  if (primitive === undefined || (local !== undefined && typeName(local.type) !== primitive.result)) {
    throw new NcclError('NCCLTS_NOT_SUPPORTED', `The simulator does not implement the primitive ${s.name}.`);
  }
  const words = s.statics.flatMap((given) => (given.kind === 'word' ? [stringText(scope.context, given.word)] : []));
  const values = s.args.flatMap((arg) => argument(arg, scope));
  const caller = ['cta', scope.thread, siteOf(s, scope)];
  const call = `${helper(scope.context, primitive.function)}(${[...caller, ...words, ...values].join(', ')})`;
  if (local !== undefined) return [call];
  scope.code.push(`${call};`);
  return undefined;
}

/**
 * The source location of the call. That of a reduction of the fabric names its accesses to the
 * elements, and that of an arrival its addition.
 */
function siteOf(s: CallStatement, { context }: EmitScope): number {
  if (s.name === 'cft.arriveAt') {
    const access = { bytes: 4, order: 'relaxed', scope: 'system', multicast: false, adds: true } as const;
    return accessSite(context, { span: s.span, what: 'atomic', access });
  }
  if (s.name !== 'cft.postRed') return site(context, s.span, requestWord(s) ?? s.name);
  const isWide = s.statics.some(
    (given) => given.kind === 'word' && given.name === 'element' && given.word.endsWith('64'),
  );
  const access = { bytes: isWide ? 8 : 4, order: 'relaxed', scope: 'system', multicast: false, fabric: true } as const;
  return accessSite(context, { span: s.span, what: 'atomic', access });
}

/** A request is called as its author wrote it: a put, a get or a signal. */
function requestWord({ name, statics }: CallStatement): string | undefined {
  if (!name.endsWith('.post')) return undefined;
  const kind = statics.find((given) => given.kind === 'word' && given.name === 'kind');
  return kind?.kind === 'word' ? kind.word : undefined;
}

function argument(arg: Expression, scope: EmitScope): Components {
  if (arg.type.kind === 'handle') return [handleText(arg, scope)];
  const values = emitExpression(arg, scope);
  if (arg.type.kind !== 'pointer' || arg.type.space !== 'shared') return values;
  const [address = '0', region = '0'] = values.map((text) => atom(scope, text));
  return [address, region, `sharedLow[${region}]`, `sharedHigh[${region}]`];
}
