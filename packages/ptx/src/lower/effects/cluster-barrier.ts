import { compare, local, scalarType, type Statement } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { u32, variable } from './build.ts';
import { operandsOf, readWords } from './read-words.ts';

/**
 * Lowers `barrier.cluster.arrive` and `barrier.cluster.wait`. The barrier completes when all
 * threads of the cluster that have not ended have arrived. An arrival releases unless it is
 * `.relaxed`, and then only what fences of cluster scope or wider have released.
 *
 * @see PTX ISA, 9.7.13.4 (`barrier.cluster`)
 */
export function lowerClusterBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    scope: ['cluster'],
    action: ['arrive', 'wait'],
    order: ['release', 'relaxed', 'acquire'],
    aligned: ['aligned'],
  });
  const action = word.need('action');
  operandsOf(instruction, lowering, 0);
  const order = word.get('order');
  if (order !== undefined && (order === 'acquire') !== (action === 'wait')) {
    lowering.fail('P1003', `${mnemonic(instruction)} cannot be .${order}`);
  }
  const { span } = lowering;
  const arrived = lowering.ownWord('cluster_arrived');
  const has = local(arrived, scalarType('u32'));
  const isArrival = action === 'arrive';
  lowering.emit({
    kind: 'assert',
    condition: compare('eq', has, u32(isArrival ? 0 : 1)),
    message: isArrival
      ? 'a thread arrives at the barrier of its cluster again before it has waited for it'
      : 'a thread waits for the barrier of its cluster without having arrived',
    span,
  });
  lowering.emit({ kind: 'assign', local: arrived, value: u32(isArrival ? 1 : 0), span });
  if (isArrival) {
    lowering.emit({
      kind: 'call',
      name: 'cluster.arrive',
      statics: [
        { kind: 'word', name: 'order', word: order ?? 'release' },
        { kind: 'word', name: 'warp', word: word.get('aligned') ?? 'any' },
      ],
      args: [],
      span,
    });
    return;
  }
  const met = variable(lowering, 'met', scalarType('bool'));
  const looks = { kind: 'call', name: 'cluster.isMet', statics: [], args: [], local: met.id, span } as const;
  lowering.emit({
    kind: 'call',
    name: 'cluster.wait',
    statics: [],
    args: [],
    body: [
      { kind: 'wait', body: [looks], condition: met.value, span },
      { kind: 'call', name: 'cluster.acquire', statics: [], args: [], span },
    ],
    span,
  });
}

/** True for an instruction of the barrier of a cluster. */
export function isClusterBarrier({ words: [opcode, first] }: PtxInstruction): boolean {
  return opcode === 'barrier' && first === 'cluster';
}

/** The end of a thread, for which the barrier of the cluster then no longer waits. */
export function leaveCluster(span: Statement['span']): Statement {
  return { kind: 'call', name: 'cluster.leave', statics: [], args: [], span };
}
