import { ALL_LANES, WARP_SIZE } from '@nccl-ts/core';
import { binary, builtin, constant, type Coop, type Expression } from '@nccl-ts/ir';
import { waitReports } from '../diagnose/wait-reports.ts';
import { argument, checkCount } from './arguments.ts';
import { isCustomCoop } from './coop.ts';
import { emitCollective } from './collective.ts';
import type { Lowering } from './lowering.ts';
import { describe, literalOperand, poison, valueOperand, type CallOperands, type Operand } from './operand.ts';

const warp: Coop = { kind: 'tile', size: WARP_SIZE };

/** Functions that return the kind of a group. */
export const coopQueries: Readonly<Record<string, (l: Lowering, call: CallOperands) => Operand>> = {
  coopCoalesced: (l, call) => {
    if (!checkCount(l, 'coopCoalesced', call, 0, 1)) return poison;
    const { operand, span } = argument(call, 0);
    if (operand.kind === 'absent') {
      const mask = emitCollective(l, { op: 'activeMask', coop: warp, span: call.span });
      return mask.kind === 'value' ? { kind: 'coop', coop: { kind: 'lanes', mask: mask.value } } : poison;
    }
    // As in NCCL, a group larger than a warp, or of unknown kind, calls a function with whole
    // warps.
    if (isCustomCoop(operand)) return { kind: 'coop', coop: warp };
    if (operand.kind !== 'coop') return notAGroup(l, operand, span);
    return isWithinWarp(operand.coop) ? operand : { kind: 'coop', coop: warp };
  },
  coopGetLaneMask: (l, call) => knownCoop(l, 'coopGetLaneMask', call, (coop) => valueOperand(laneMask(coop))),
  coopIsThread: (l, call) =>
    knownCoop(l, 'coopIsThread', call, (coop) => literalOperand(coop.kind === 'tile' && coop.size === 1)),
  coopWithinWarp: (l, call) => knownCoop(l, 'coopWithinWarp', call, (coop) => literalOperand(isWithinWarp(coop))),
};

function knownCoop(l: Lowering, name: string, call: CallOperands, answer: (coop: Coop) => Operand): Operand {
  if (!checkCount(l, name, call, 1)) return poison;
  const { operand, span } = argument(call, 0);
  if (operand.kind === 'coop') return answer(operand.coop);
  return isCustomCoop(operand) ? l.report(waitReports.customGroup(span, name)) : notAGroup(l, operand, span);
}

function notAGroup(l: Lowering, operand: Operand, span: CallOperands['span']): Operand {
  return operand.kind === 'poison' ? poison : l.report(waitReports.notAGroup(span, describe(operand)));
}

function isWithinWarp(coop: Coop): boolean {
  return coop.kind === 'tile' || coop.kind === 'lanes';
}

/**
 * The lanes of the calling thread's warp that are in the group. A group of whole warps has all
 * lanes.
 */
function laneMask(coop: Coop): Expression {
  if (coop.kind === 'lanes') return coop.mask;
  if (coop.kind !== 'tile' || coop.size === 32) return constant('u32', ALL_LANES);
  const lanes = constant('u32', 2 ** coop.size - 1);
  const first = binary('and', builtin('laneId'), constant('u32', 32 - coop.size));
  return binary('shl', lanes, first);
}
