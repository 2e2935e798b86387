import { addressPointer, builtin, constant, param, pointerOffset, scalarType, type Expression } from '@nccl-ts/ir';
import type { ThreadProgram } from './thread-program.ts';

export const u32 = (value: number): Expression => constant('u32', value);
export const thread = builtin('threadLinear');
const words = addressPointer(scalarType('u32'), param(1, scalarType('u64')));

export function store(p: ThreadProgram, index: Expression, value: Expression): void {
  p.emit({ kind: 'store', pointer: pointerOffset(words, index), value, span: p.span });
}

export function load(p: ThreadProgram, index: Expression): Expression {
  const id = p.local('loaded', scalarType('u32'));
  p.emit({ kind: 'load', local: id, pointer: pointerOffset(words, index), span: p.span });
  return { kind: 'local', type: scalarType('u32'), local: id };
}
