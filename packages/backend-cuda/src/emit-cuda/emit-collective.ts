import { WARP_SIZE } from '@nccl-ts/core';
import type { CollectiveStatement, Coop } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { cppType } from './cpp-type.ts';
import { maskText, rankAndSize, syncText } from './emit-coop.ts';
import { emitExpression } from './emit-expression.ts';

/** Returns the result of a collective for the calling thread. */
export function collectiveText(s: CollectiveStatement, c: CudaEmitContext): string {
  const { op, coop } = s;
  if (op === 'activeMask') return '__activemask()';
  const value = s.value === undefined ? '0' : emitExpression(s.value, c);
  const lane = s.lane === undefined ? '0u' : emitExpression(s.lane, c);
  if (coop.kind === 'cta' || coop.kind === 'warpSpan') return largeGroup(s, coop, value, lane, c);
  const mask = maskText(coop, c);
  switch (op) {
    case 'ballot':
      return `__ballot_sync(${mask}, ${value})`;
    case 'any':
      return `(__any_sync(${mask}, ${value}) != 0)`;
    case 'all':
      return `(__all_sync(${mask}, ${value}) != 0)`;
    case 'bcast':
    case 'shfl':
    case 'shflUp':
    case 'shflDown':
    case 'shflXor':
      c.use('shuffle');
      return `nts::from_lane(${mask}, ${value}, ${sourceLane(op, coop, lane, c)})`;
  }
}

/**
 * Returns the lane of the warp that provides a value: the thread's own if the given lane is not in
 * the tile.
 */
function sourceLane(
  op: CollectiveStatement['op'],
  coop: Extract<Coop, { kind: 'tile' | 'lanes' }>,
  lane: string,
  c: CudaEmitContext,
): string {
  c.use('place');
  if (coop.kind === 'lanes') return `__fns(${maskText(coop, c)}, 0, (int)${lane} + 1)`;
  const last = `${coop.size - 1}u`;
  const base = `(nts::lane_id() & ${WARP_SIZE - coop.size}u)`;
  const rank = `(nts::lane_id() & ${last})`;
  const within = (target: string, inside: string): string => `(${inside} ? ${base} + ${target} : nts::lane_id())`;
  switch (op) {
    case 'shflUp':
      return within(`(${rank} - ${lane})`, `${lane} <= ${rank}`);
    case 'shflDown':
      return within(`(${rank} + ${lane})`, `${lane} <= ${last} - ${rank}`);
    case 'shflXor':
      return within(`(${rank} ^ ${lane})`, `(${rank} ^ ${lane}) <= ${last}`);
    case 'bcast':
      return `(${base} + ${lane})`;
    case 'activeMask':
    case 'all':
    case 'any':
    case 'ballot':
    case 'shfl':
      return `(${base} + (${lane} & ${last}))`;
  }
}

/** Groups larger than a warp exchange values through shared memory. */
function largeGroup(
  s: CollectiveStatement,
  coop: Extract<Coop, { kind: 'cta' | 'warpSpan' }>,
  value: string,
  lane: string,
  c: CudaEmitContext,
): string {
  c.use('group');
  c.scratch.add('nts_scratch');
  const at = coop.kind === 'cta' ? '0' : emitExpression(coop.id, c);
  const sync = `[&] { ${syncText(coop, c)} }`;
  const { rank } = rankAndSize(coop, c);
  if (s.op === 'any' || s.op === 'all') {
    return `nts::vote(reinterpret_cast<unsigned int*>(nts_scratch[${at}]), ${value}, ${s.op === 'all'}, ${rank} == 0u, ${sync})`;
  }
  const type = s.value === undefined ? 'unsigned int' : cppType(s.value.type);
  return `nts::bcast<${type}>(nts_scratch[${at}], ${value}, ${rank} == ${lane}, ${sync})`;
}
