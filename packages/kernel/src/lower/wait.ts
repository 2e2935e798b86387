import {
  constant,
  isReadingCall,
  liftFromWait,
  local,
  readLocals,
  scalarType,
  walkBody,
  statementBodies,
  statementReads,
  statementTarget,
  type Body,
  type Expression,
  type LocalId,
  type Span,
  type Statement,
  type StatementKind,
  type WaitStatement,
} from '@nccl-ts/ir';
import { waitReports } from '../diagnose/wait-reports.ts';
import { asCondition } from './convert.ts';
import { endsEarly, type Lowering } from './lowering.ts';
import type { Argument, FunctionOperand } from './operand.ts';
import { not } from './operator.ts';
import { flagExits, holds } from './spin-exits.ts';
import { branchOnExit } from './structure.ts';

export interface WaitParts {
  readonly body: Body;
  readonly condition: Expression;
}

/** The statements that a wait condition may not contain, in words; all others are allowed. */
const forbidden: Readonly<Partial<Record<StatementKind, string>>> = {
  store: 'change memory',
  atomic: 'change memory',
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
  call: 'call something with side effects',
};

/**
 * Lowers a wait's condition, which is `condition` called with `args`. The result is loads and a
 * pure expression. `own` is a local that the wait itself sets. If `keeps` is true, the thread's
 * arrays keep the stored values after the wait. Returns `undefined` after a report.
 */
export function collectCondition(
  l: Lowering,
  condition: FunctionOperand,
  args: readonly Argument[],
  span: Span,
  { own, keeps = false }: { readonly own?: LocalId; readonly keeps?: boolean } = {},
): WaitParts | undefined {
  const firstOwn = l.locals.length;
  const reported = l.diagnostics.length;
  const { body, result } = l.collect(() => asCondition(l, condition.call({ args, span, discard: false }), span));
  checkEffects(l, body, firstOwn, own, keeps);
  if (liftFromWait(body) === undefined)
    l.report(waitReports.effect(span, 'change a value that it uses to read a signal'));
  if (result === undefined || l.diagnostics.length > reported) return undefined;
  return { body, condition: result };
}

function checkEffects(l: Lowering, body: Body, firstOwn: number, own: LocalId | undefined, keeps: boolean): void {
  walkBody(body, {
    statement: (statement) => {
      if (isReadingCall(statement)) {
        // In a group's wait, each index has a last read, and only the thread that made the read
        // knows it.
        if (own !== undefined) l.report(waitReports.effect(statement.span, `call ${statement.name} for a group`));
        return false;
      }
      const why = forbidden[statement.kind];
      if (why !== undefined && !(keeps && isOwnStore(statement))) {
        l.report(waitReports.effect(statement.span, why));
        return true;
      }
      const target = statementTarget(statement);
      if (target !== undefined && target < firstOwn && target !== own) {
        l.report(waitReports.assignsOuter(statement.span, l.locals[target]?.name ?? 'this'));
      }
      return true;
    },
  });
}

function isOwnStore(s: Statement): boolean {
  return s.kind === 'store' && s.pointer.type.kind === 'pointer' && s.pointer.type.space === 'local';
}

/**
 * Turns a hand-written spin loop into a wait, if it only reads: `while (flag.load(0, 'acquire') !==
 * 1);`. The loop must be one list of loads and assignments. Its one exit test is at the end, or
 * before each round (`while (seen !== 1) seen = flag.load(0, 'acquire')`). Then another round
 * changes only the values that were read. Returns `undefined` for other loops.
 */
export function spinAsWait(
  l: Lowering,
  loop: {
    readonly condition: Expression | undefined;
    readonly body: Body;
    readonly update: Body;
    readonly span: Span;
  },
): Statement | undefined {
  const round = [...loop.body, ...loop.update];
  const { span } = loop;
  if (loop.condition !== undefined) {
    const wait = onlyReads(round, loop.condition)
      ? ({ kind: 'wait', body: round, condition: not(loop.condition, span), span } as const)
      : exitsAsWait(l, loop.body, loop.update, not(loop.condition, span), span);
    return wait && { kind: 'if', condition: loop.condition, then: [wait], else: [], span };
  }
  const test = round.at(-1);
  if (test?.kind === 'if') {
    const exits = test.then.length === 1 && test.then[0]?.kind === 'break' && test.else.length === 0;
    const stays = test.else.length === 1 && test.else[0]?.kind === 'break' && test.then.length === 0;
    const reads = round.slice(0, -1);
    if ((exits || stays) && onlyReads(reads, test.condition)) {
      const { condition } = test;
      return { kind: 'wait', body: reads, condition: exits ? condition : not(condition, test.span), span };
    }
  }
  return exitsAsWait(l, loop.body, loop.update, constant('bool', false), span);
}

/**
 * In a loop with several exits, minifiers combine them in one condition, and authors spread them.
 */
function exitsAsWait(l: Lowering, body: Body, update: Body, atEnd: Expression, span: Span): WaitStatement | undefined {
  const reads = (kind: StatementKind): boolean =>
    kind === 'break' || kind === 'continue' || forbidden[kind] === undefined;
  if (holds([...body, ...update], (kind) => !reads(kind))) return undefined;
  const branched = branchOnExit(body, (statement) => statement.kind === 'continue', l.tooDeep);
  // A remaining `continue` would jump to the update.
  if (update.length > 0 && holds(branched, (kind) => kind === 'continue')) return undefined;
  const done = local(l.locals.length, scalarType('bool'));
  const round = flagExits([...branched, ...update], done.local, atEnd, span);
  if (round === undefined || !onlyReads(round, done)) return undefined;
  l.newLocal('done', done.type, span);
  return { kind: 'wait', body: round, condition: done, span };
}

/**
 * True if a round loads something, changes only its own variables, and does not depend on
 * earlier rounds.
 */
function onlyReads(body: Body, test: Expression): boolean {
  let loads = 0;
  let pure = true;
  const assigned = new Set<LocalId>();
  walkBody(body, {
    statement: (statement) => {
      const calls = isReadingCall(statement);
      if (forbidden[statement.kind] !== undefined && !calls) pure = false;
      if (statement.kind === 'load' || calls) loads++;
      const target = statementTarget(statement);
      if (target !== undefined) assigned.add(target);
      return pure && !calls;
    },
  });
  return pure && loads > 0 && liftFromWait(body) !== undefined && !endsEarly(body) && !carries(body, test, assigned);
}

/**
 * True if a round, or the `test` after it, may read a value that the previous round has set, such
 * as a counter.
 */
function carries(body: Body, test: Expression, assigned: ReadonlySet<LocalId>): boolean {
  let carried = false;
  const check = (reads: ReadonlySet<LocalId>, set: ReadonlySet<LocalId>): void => {
    for (const id of reads) if (assigned.has(id) && !set.has(id)) carried = true;
  };
  /** Returns the locals that are certainly set after `statements`. */
  const follow = (statements: Body, before: ReadonlySet<LocalId>): ReadonlySet<LocalId> => {
    const set = new Set(before);
    for (const statement of statements) {
      check(statementReads(statement), set);
      const arms = statementBodies(statement).map((inner) => follow(inner, set));
      const [first, ...others] = arms;
      if (statement.kind === 'if' && first) for (const id of first) if (others.every((arm) => arm.has(id))) set.add(id);
      const target = statementTarget(statement);
      if (target !== undefined) set.add(target);
    }
    return set;
  };
  check(readLocals(test), follow(body, new Set()));
  return carried;
}
