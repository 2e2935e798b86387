import type { Expression } from '@nccl-ts/ir';
import type { FlowBlockId, FlowEnd } from './flow-graph.ts';

/** The possible successors at `end`, each once. */
export function flowTargets(end: FlowEnd): readonly FlowBlockId[] {
  switch (end.kind) {
    case 'jump':
      return [end.to];
    case 'branch':
      return end.then === end.else ? [end.then] : [end.then, end.else];
    case 'switch':
      return [...new Set(end.targets)];
    case 'return':
      return [];
  }
}

/** Returns `end` with other targets. */
export function mapFlowTargets(end: FlowEnd, map: (target: FlowBlockId) => FlowBlockId): FlowEnd {
  switch (end.kind) {
    case 'jump':
      return { ...end, to: map(end.to) };
    case 'branch':
      return { ...end, then: map(end.then), else: map(end.else) };
    case 'switch':
      return { ...end, targets: end.targets.map(map) };
    case 'return':
      return end;
  }
}

/** The expression that decides the target of `end`, or `undefined` if there is none. */
export function flowDecision(end: FlowEnd): Expression | undefined {
  return end.kind === 'branch' ? end.condition : end.kind === 'switch' ? end.index : undefined;
}
