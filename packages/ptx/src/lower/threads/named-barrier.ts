import { compare, pointerOffset, scalarType, type Expression, type Statement } from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';
import { add, equal, u32, variable, when, type Variable } from './build.ts';

const NAMES = 16;

/** The words of one named barrier. */
interface NamedBarrier {
  /** How many threads have come since the last time that all had. */
  readonly arrived: Expression;
  /** How often all have come. */
  readonly phase: Expression;
}

function namedBarrier(lowering: Lowering, id: Expression): NamedBarrier {
  const kept = lowering.keep('barrier', id);
  return {
    arrived: pointerOffset(lowering.sharedWords('barrier_arrived', NAMES), kept),
    phase: pointerOffset(lowering.sharedWords('barrier_phase', NAMES), kept),
  };
}

/**
 * Emits that a thread comes to a barrier and waits for the others: `count` in all, those that only arrive included. They
 * need not stand at one place in the program.
 */
export function syncAt(lowering: Lowering, id: Expression, count: Expression): void {
  const { span } = lowering;
  const barrier = namedBarrier(lowering, id);
  const now = variable(lowering, 'now', scalarType('u32'));
  arrive(lowering, barrier, count, (phase) => [
    {
      kind: 'wait',
      body: [
        { kind: 'load', local: now.id, pointer: barrier.phase, access: { order: 'acquire', scope: 'block' }, span },
      ],
      condition: compare('ne', now.value, phase.value),
      span,
    },
  ]);
}

/** Emits that a thread comes to a barrier and goes on. */
export function arriveAt(lowering: Lowering, id: Expression, count: Expression): void {
  arrive(lowering, namedBarrier(lowering, id), count, () => []);
}

/** The last thread to come clears the count and begins the next phase; the others do what `early` says. */
function arrive(
  lowering: Lowering,
  { arrived, phase }: NamedBarrier,
  count: Expression,
  early: (phase: Variable) => readonly Statement[],
): void {
  const { span } = lowering;
  const u32Type = scalarType('u32');
  const [seen, before] = [variable(lowering, 'phase', u32Type), variable(lowering, 'before', u32Type)];
  // Before this thread has come, the phase cannot end.
  lowering.emit({
    kind: 'load',
    local: seen.id,
    pointer: phase,
    access: { order: 'relaxed', scope: 'block' },
    span,
  });
  lowering.emit({
    kind: 'atomic',
    op: 'add',
    local: before.id,
    pointer: arrived,
    value: u32(1),
    access: { order: 'acq_rel', scope: 'block' },
    span,
  });
  const next = add(seen.value, u32(1));
  lowering.emit(
    when(
      lowering,
      equal(add(before.value, u32(1)), count),
      [
        { kind: 'store', pointer: arrived, value: u32(0), access: { order: 'relaxed', scope: 'block' }, span },
        { kind: 'store', pointer: phase, value: next, access: { order: 'release', scope: 'block' }, span },
      ],
      early(seen),
    ),
  );
}
