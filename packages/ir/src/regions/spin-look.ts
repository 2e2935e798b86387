import { unary } from '../build/operation.ts';
import type { Expression, LocalId } from '../expression.ts';
import { printExpression } from '../print/print-expression.ts';
import type { Body, LoadStatement, LoopStatement, Statement } from '../statement.ts';
import { assignedLocals, readLocals } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';

/** The values that a spinning loop reads. */
export interface SpinLook {
  /**
   * Loads of words whose addresses are the same in every round, and computations on these words.
   */
  readonly body: Body;
  /**
   * The condition on these words that ends the loop. `undefined` if it depends on anything else.
   */
  readonly ends: Expression | undefined;
}

/**
 * Returns the words that `loop` reads, for reports of their values. Reading them has no side
 * effects.
 */
export function spinLook(loop: LoopStatement): SpinLook {
  const changed = assignedLocals([loop]);
  const loads = new Map<string, LoadStatement>();
  const given = new Set<LocalId>();
  const all: Statement[] = [];
  for (const top of [...loop.body, ...loop.update]) {
    walkBody([top], {
      statement: (s) => {
        if (s.kind === 'load' || s.kind === 'atomic') {
          const load = loadOf(s, changed);
          const key = load === undefined ? '' : printExpression(load.pointer, { spans: false, args: [] });
          if (load === undefined || loads.has(key)) return;
          loads.set(key, load);
          given.add(load.local);
          all.push(load);
          // A value that some rounds do not set cannot decide when the loop ends.
        } else if (s === top && s.kind === 'assign' && !changes(s.value, changed, given)) {
          given.add(s.local);
          all.push(s);
        }
      },
    });
  }
  const ends = endOf(loop);
  return { body: all, ends: ends === undefined || changes(ends, changed, given) ? undefined : ends };
}

/** Returns a load of the word that a statement reads, if its address is the same in every round. */
function loadOf(
  { pointer, local, span }: Extract<Statement, { kind: 'load' | 'atomic' }>,
  changed: ReadonlySet<LocalId>,
): LoadStatement | undefined {
  if (local === undefined || pointer.type.kind !== 'pointer' || pointer.type.space === 'local') return undefined;
  if ([...readLocals(pointer)].some((id) => changed.has(id))) return undefined;
  return { kind: 'load', local, pointer, span };
}

function changes(e: Expression, changed: ReadonlySet<LocalId>, given: ReadonlySet<LocalId>): boolean {
  return [...readLocals(e)].some((id) => changed.has(id) && !given.has(id));
}

/** The condition under which the loop ends, if it has only one exit. */
function endOf({ condition, body, update }: LoopStatement): Expression | undefined {
  const exits: Expression[] = condition === undefined ? [] : [unary('not', condition)];
  let others = 0;
  for (const s of [...body, ...update]) {
    if (s.kind === 'if' && s.else.length === 0 && s.then.length === 1 && s.then[0]?.kind === 'break') {
      exits.push(s.condition);
    } else {
      walkBody([s], {
        statement: (inner) => {
          if (inner.kind === 'break' || inner.kind === 'return' || inner.kind === 'leave') others++;
        },
      });
    }
  }
  return others === 0 && exits.length === 1 ? exits[0] : undefined;
}
