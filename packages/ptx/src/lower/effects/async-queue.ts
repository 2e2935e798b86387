import {
  binary,
  compare,
  constant,
  local,
  pointerOffset,
  scalarType,
  vectorType,
  type Expression,
  type Statement,
  type ValueType,
} from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';
import { add, count, equal, set, u32, variable, when, type Variable } from './build.ts';

/** The most pending copies of a thread. */
export const QUEUE_LENGTH = 16;

const fields = { to: 'u32', from: 'u64', bytes: 'u32', given: 'u32', group: 'u32' } as const;

type Field = keyof typeof fields;

/** The pending copies of a thread, oldest first. */
export interface AsyncQueue {
  /** The numbers of copies that are complete and that were started. */
  readonly head: Variable;
  readonly tail: Variable;
  /** The number of the group that new copies join. */
  readonly group: Variable;
  /** Makes a statement that reads a field of the oldest copy, and its value afterwards. */
  read(field: Field): { readonly load: Statement; readonly value: Expression };
  /** Emits a store of a value to a field of the next copy. */
  write(field: Field, value: Expression): void;
  /** Completes the oldest copy. */
  finishOldest(): readonly Statement[];
}

export function asyncQueue(lowering: Lowering): AsyncQueue {
  const own = (name: string): Variable => {
    const id = lowering.ownWord(`async_${name}`);
    return { id, value: local(id, scalarType('u32')) };
  };
  const [head, tail, group] = [own('head'), own('tail'), own('group')];
  const { span } = lowering;
  const pointer = (field: Field, at: Variable): Expression =>
    pointerOffset(
      lowering.ownArray(`async_${field}`, fields[field], QUEUE_LENGTH),
      binary('and', at.value, u32(QUEUE_LENGTH - 1)),
    );
  const read = (field: Field): { readonly load: Statement; readonly value: Expression } => {
    const { id, value } = variable(lowering, field, scalarType(fields[field]));
    return { load: { kind: 'load', local: id, pointer: pointer(field, head), span }, value };
  };
  return {
    head,
    tail,
    group,
    read,
    write: (field, value) => lowering.emit({ kind: 'store', pointer: pointer(field, tail), value, span }),
    finishOldest: () => {
      const [to, from, bytes, given] = [read('to'), read('from'), read('bytes'), read('given')];
      return [
        ...[to, from, bytes, given].map(({ load }) => load),
        ...copy(lowering, to.value, from.value, bytes.value, given.value),
        set(lowering, head, add(head.value, u32(1))),
      ];
    },
  };
}

/** Copies the first `given` of `bytes` bytes, and writes zeros to the others. */
function copy(
  lowering: Lowering,
  to: Expression,
  from: Expression,
  bytes: Expression,
  given: Expression,
): readonly Statement[] {
  const whole = [4, 2, 1].map((width) =>
    when(
      lowering,
      equal(bytes, u32(4 * width)),
      move(lowering, width === 1 ? scalarType('u32') : vectorType('u32', width), to, from),
    ),
  );
  return [when(lowering, equal(bytes, given), whole, fill(lowering, to, from, bytes, given))];
}

function move(lowering: Lowering, type: ValueType, to: Expression, from: Expression): readonly Statement[] {
  const { span } = lowering;
  const { id, value } = variable(lowering, 'copied', type);
  return [
    { kind: 'load', local: id, pointer: lowering.pointerAt('global', from, type), span },
    { kind: 'store', pointer: lowering.pointerAt('shared', to, type), value, span },
  ];
}

function fill(
  lowering: Lowering,
  to: Expression,
  from: Expression,
  bytes: Expression,
  given: Expression,
): readonly Statement[] {
  const { span } = lowering;
  const type = scalarType('u8');
  const index = variable(lowering, 'byte', scalarType('u32'));
  const copied = variable(lowering, 'copied', type);
  const source = pointerOffset(lowering.pointerAt('global', from, type), index.value);
  const pointer = pointerOffset(lowering.pointerAt('shared', to, type), index.value);
  return [
    set(lowering, index, u32(0)),
    count(lowering, index, bytes, [
      set(lowering, copied, constant('u8', 0)),
      when(lowering, compare('lt', index.value, given), [{ kind: 'load', local: copied.id, pointer: source, span }]),
      { kind: 'store', pointer, value: copied.value, span },
    ]),
  ];
}
