import {
  atomicMeaning,
  binary,
  compare,
  local as localOf,
  type AtomicStatement,
  type Expression,
  type Statement,
  type Type,
} from '@nccl-ts/ir';
import type { Operator } from './operator.ts';

/** Splits a read-modify-write into an ordinary load and an ordinary store. */
export const splitAtomic: Operator = ({ statement: s, module }) => {
  if (s.kind !== 'atomic' || s.pointer.type.kind !== 'pointer') return [];
  const type: Type = s.pointer.type.element;
  const { span, pointer } = s;
  const before = module.locals.length;
  const old = localOf(before, type);
  const store: Statement = Object.freeze({ kind: 'store', span, pointer, value: written(s, old) });
  const body: Statement[] = [Object.freeze({ kind: 'load', span, local: before, pointer })];
  if (s.expected === undefined) body.push(store);
  else {
    const condition = compare('eq', old, s.expected);
    body.push(Object.freeze({ kind: 'if', span, condition, then: Object.freeze([store]), else: Object.freeze([]) }));
  }
  // Last, since the stored value may depend on the local that receives the previous value.
  if (s.local !== undefined) body.push(Object.freeze({ kind: 'assign', span, local: s.local, value: old }));
  return [
    {
      operator: 'atomic-split',
      does: 'is an ordinary load and an ordinary store',
      becomes: Object.freeze(body),
      locals: [Object.freeze({ name: 'before', type, span })],
    },
  ];
};

function written({ op, value }: AtomicStatement, old: Expression): Expression {
  const meaning = atomicMeaning[op];
  return meaning.kind === 'binary' ? binary(meaning.op, old, value) : value;
}
