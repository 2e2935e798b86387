import { walkBody, statementReads, statementTarget, type Body, type Expression, type LocalId, type Span, type Statement, type StatementKind } from '@nccl-ts/ir';
import { waitReports } from '../diagnose/wait-reports.ts';
import { asCondition } from './convert.ts';
import { endsEarly, type Lowering } from './lowering.ts';
import type { Argument, FunctionOperand } from './operand.ts';
import { not } from './operator.ts';

export interface WaitParts {
  readonly body: Body;
  readonly condition: Expression;
}

/** What a wait condition may not do, in words; absent: it may. */
const forbidden: Readonly<Partial<Record<StatementKind, string>>> = {
  store: 'store',
  atomic: 'read-modify-write',
  fence: 'fence',
  fenceProxy: 'fence',
  sync: 'meet other threads',
  wait: 'wait',
  waitAll: 'wait',
  collective: 'exchange values with other threads',
  loop: 'loop',
  break: 'leave a loop',
  continue: 'leave a loop',
  block: 'return early',
  leave: 'return early',
  return: 'return from the kernel',
  print: 'print',
  assert: 'assert',
  call: 'call what has effects',
};

/**
 * Lowers the condition of a wait: `condition` called with `args`, as loads and a pure expression. `own` is a local that
 * the wait itself sets. `undefined` after a report.
 */
export function collectCondition(
  l: Lowering,
  condition: FunctionOperand,
  args: readonly Argument[],
  span: Span,
  own?: LocalId,
): WaitParts | undefined {
  const firstOwn = l.locals.length;
  const reported = l.diagnostics.length;
  const { body, result } = l.collect(() => asCondition(l, condition.call({ args, span, discard: false }), span));
  checkEffects(l, body, firstOwn, own);
  if (result === undefined || l.diagnostics.length > reported) return undefined;
  return { body, condition: result };
}

function checkEffects(l: Lowering, body: Body, firstOwn: number, own: LocalId | undefined): void {
  walkBody(body, {
    statement: (statement) => {
      const why = forbidden[statement.kind];
      if (why !== undefined) {
        l.report(waitReports.effect(statement.span, why));
        return;
      }
      const target = statementTarget(statement);
      if (target !== undefined && target < firstOwn && target !== own) {
        l.report(waitReports.assignsOuter(statement.span, l.locals[target]?.name ?? 'this'));
      }
    },
  });
}

/**
 * A hand-written spin loop as a wait, where it only reads: `while (flag.load(0, 'acquire') !== 1);`. The loop has to be
 * one list of loads and assignments that ends in the test to leave, so that running it once more changes nothing but what
 * it read. `undefined` where it is none.
 */
export function spinAsWait(loop: { readonly condition: Expression | undefined; readonly body: Body; readonly update: Body; readonly span: Span }): Statement | undefined {
  if (loop.condition !== undefined) return undefined;
  const round = [...loop.body, ...loop.update];
  const test = round.at(-1);
  if (test?.kind !== 'if') return undefined;
  const leaves = test.then.length === 1 && test.then[0]?.kind === 'break' && test.else.length === 0;
  const stays = test.else.length === 1 && test.else[0]?.kind === 'break' && test.then.length === 0;
  if (!leaves && !stays) return undefined;
  const reads = round.slice(0, -1);
  let loads = 0;
  const assigned = new Set<LocalId>();
  let pure = true;
  walkBody(reads, {
    statement: (statement) => {
      if (forbidden[statement.kind] !== undefined) pure = false;
      if (statement.kind === 'load') loads++;
      const target = statementTarget(statement);
      if (target !== undefined) assigned.add(target);
    },
  });
  if (!pure || loads === 0 || endsEarly(reads) || carries(reads, assigned)) return undefined;
  const { condition } = test;
  return { kind: 'wait', body: reads, condition: leaves ? condition : not(condition, test.span), span: loop.span };
}

/** Whether a round reads what the round before has set: a counter, say. */
function carries(body: Body, assigned: ReadonlySet<LocalId>): boolean {
  const set = new Set<LocalId>();
  let carried = false;
  walkBody(body, {
    statement: (statement) => {
      for (const id of statementReads(statement)) if (assigned.has(id) && !set.has(id)) carried = true;
      const target = statementTarget(statement);
      if (target !== undefined) set.add(target);
    },
  });
  return carried;
}

