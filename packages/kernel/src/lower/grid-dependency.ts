import { scalarType } from '@nccl-ts/ir';
import { checkCount } from './arguments.ts';
import type { Lowering } from './lowering.ts';
import { nothing, poison, type CallOperands, type Operand } from './operand.ts';

/** Marks this CTA as done for the next launch on the stream. A primitive. */
export function launchDependents(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'launchDependents', call, 0)) return poison;
  l.emit({ kind: 'call', name: 'launchDependents', statics: [], args: [], span: call.span });
  return nothing;
}

/**
 * Waits for the previous launch on the stream. On a backend without an instruction for it, the
 * emitted code polls, waits, and acquires the writes.
 */
export function gridDependencySync(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'gridDependencySync', call, 0)) return poison;
  const { span } = call;
  const over = l.resultLocal('over', scalarType('bool'), span);
  const looks = { kind: 'call', name: 'dependency.isOver', statics: [], args: [], local: over.local, span } as const;
  l.emit({
    kind: 'call',
    name: 'gridDependencySync',
    statics: [],
    args: [],
    body: [
      { kind: 'wait', body: [looks], condition: over, span },
      { kind: 'call', name: 'dependency.acquire', statics: [], args: [], span },
    ],
    span,
  });
  return nothing;
}
