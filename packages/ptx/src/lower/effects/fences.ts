import { approximate, wordTable, type ApproximateFidelity } from '@nccl-ts/core';
import { clusterCtas } from '@nccl-ts/ir';
import type { AccessScope } from '@nccl-ts/core';
import type { PtxInstruction } from '../../syntax/module.ts';
import { accessOf, mnemonic, scopeWords } from '../instruction-parts.ts';
import { nameApproximation, type Lowering } from '../lowering.ts';
import { checkerCall } from './checker-call.ts';
import { operandsOf, readWords } from './read-words.ts';

const restrictions: readonly string[] = ['sync_restrict::shared::cta', 'sync_restrict::shared::cluster'];

/** A fence that orders only some accesses. */
export const restrictedFences: ApproximateFidelity = approximate(
  'a fence of mbarrier.init or of shared memory as a fence of all accesses',
);

/** Lowers all kinds of `fence`. */
export function lowerFence(instruction: PtxInstruction, lowering: Lowering): void {
  if (instruction.words[1] === 'proxy') {
    lowerProxyFence(instruction, lowering);
    return;
  }
  const word = readWords(instruction, lowering, {
    // `mbarrier_init` orders only the writes of `mbarrier.init`, and the others only accesses of
    // shared memory. A fence is at least as strong.
    restriction: ['mbarrier_init', ...restrictions],
    order: ['sc', 'acq_rel', 'acquire', 'release'],
    scope: scopeWords,
  });
  word.need('scope');
  operandsOf(instruction, lowering, 0);
  const restriction = word.get('restriction');
  // A fence of everything is stronger. Without clusters only the own CTA can tell.
  if (restriction !== undefined && clusterCtas(lowering.cluster) > 1) nameApproximation(restrictedFences, lowering);
  // It makes initialized barriers visible to bulk copies too.
  if (restriction === 'mbarrier_init') lowering.emit(checkerCall(lowering, 'bulk.fence'));
  lowering.emit({ kind: 'fence', access: accessOf(instruction, 'acq_rel', 'device'), span: lowering.span });
}

/** The modifiers of fences for bulk copies, and for tensor maps, which are not supported. */
const otherProxies: readonly string[] = ['async', 'async::generic', 'tensormap::generic', 'tensormap'];

/**
 * Lowers proxy fences. `fence.proxy.alias` orders accesses through different addresses of one
 * location. `fence.proxy.async` orders accesses of threads with those of bulk copies. No supported
 * instruction uses tensor maps, so the other fences have nothing to order.
 */
function lowerProxyFence(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    proxy: ['proxy'],
    kind: ['alias', ...otherProxies],
    order: ['acquire', 'release'],
    restriction: restrictions,
    space: ['global', 'shared::cta', 'shared::cluster'],
    scope: scopeWords,
  });
  const kind = word.need('kind');
  if (kind.startsWith('async')) {
    lowering.emit(checkerCall(lowering, 'bulk.fence'));
    return;
  }
  if (kind !== 'alias') return;
  if (instruction.words.length > 3) {
    lowering.fail('P1003', `${mnemonic(instruction)} has modifiers, which fence.proxy.alias does not take`);
  }
  lowering.emit({ kind: 'fenceProxy', proxy: 'alias', span: lowering.span });
}

const membarScopes: Readonly<Record<string, AccessScope>> = wordTable({ cta: 'block', gl: 'device', sys: 'system' });

/** Lowers `membar.level`, which is `fence.sc` of the scope from sm_70 on. */
export function lowerMembar(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, { level: Object.keys(membarScopes) });
  const scope = membarScopes[word.need('level')];
  if (scope === undefined) return;
  lowering.emit({ kind: 'fence', access: { order: 'seq_cst', scope }, span: lowering.span });
}
