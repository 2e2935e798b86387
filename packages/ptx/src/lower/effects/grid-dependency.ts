import { scalarType } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { variable } from './build.ts';
import { operandsOf, readWords } from './read-words.ts';

/**
 * Lowers `griddepcontrol.launch_dependents` and `griddepcontrol.wait`, for programmatic dependent
 * launch.
 */
export function lowerGridDependency(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, { action: ['launch_dependents', 'wait'] });
  const action = word.need('action');
  operandsOf(instruction, lowering, 0);
  const { span } = lowering;
  if (action === 'launch_dependents') {
    lowering.emit({ kind: 'call', name: 'launchDependents', statics: [], args: [], span });
    return;
  }
  const over = variable(lowering, 'over', scalarType('bool'));
  const looks = { kind: 'call', name: 'dependency.isOver', statics: [], args: [], local: over.id, span } as const;
  lowering.emit({
    kind: 'call',
    name: 'gridDependencySync',
    statics: [],
    args: [],
    body: [
      { kind: 'wait', body: [looks], condition: over.value, span },
      { kind: 'call', name: 'dependency.acquire', statics: [], args: [], span },
    ],
    span,
  });
}
