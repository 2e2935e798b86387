import { WARP_SIZE } from '@nccl-ts/core';
import type { MemoryOrder } from '@nccl-ts/core';
import { atomicMeaning } from '../atomic-meaning.ts';
import { hasBinary } from '../arithmetic/operations.ts';
import { countPlaceholders } from '../contract-text.ts';
import type { Expression, LocalId, Coop } from '../expression.ts';
import type { Module } from '../module.ts';
import type { Span } from '../span.ts';
import type {
  AtomicStatement,
  Body,
  CollectiveStatement,
  BarrierVote,
  NamedBarrier,
  Statement,
  SyncStatement,
} from '../statement.ts';
import { sameType, scalarType, typeName, type Type, type ValueType } from '../type.ts';
import { isReadingCall, liftFromWait } from '../transform/lift-from-wait.ts';
import { statementExpressions } from '../visit/children.ts';
import { dispatchStatement, type StatementTable } from '../visit/dispatch.ts';
import {
  checkCoop,
  checkExpression,
  checkStatics,
  isValueType,
  requireType,
  type ExpressionRules,
} from './check-expression.ts';
import type { ReportMalformed } from './findings.ts';

/** Checks every statement of `module` against the rules of `statement.ts`. */
export function checkStatements(module: Module, report: ReportMalformed): void {
  const rules: ExpressionRules = { module, report, seen: new Set() };
  checkBody(module.body, { rules, used: new Set(), inLoop: false, labels: new Set(), inWait: undefined });
}

/** The context of a statement. */
interface StatementContext {
  readonly rules: ExpressionRules;
  /** The labels of all blocks so far. */
  readonly used: Set<number>;
  readonly inLoop: boolean;
  /** The labels of the enclosing blocks. */
  readonly labels: ReadonlySet<number>;
  /**
   * Set inside the body of a wait or a waitAll. The body of a wait may set the thread's own arrays.
   */
  readonly inWait: 'wait' | 'waitAll' | undefined;
}

function checkBody(body: Body, context: StatementContext): void {
  for (const statement of body) {
    for (const e of statementExpressions(statement)) checkExpression(e, statement.span, context.rules);
    const { kind } = statement;
    if (context.inWait !== undefined && !mayStandInWait(statement, context.inWait)) {
      context.rules.report(
        'effectInWait',
        `${kind} is in a ${context.inWait}, which may only load, assign and branch`,
        statement.span,
      );
    }
    dispatchStatement(table, statement, context);
  }
}

/** True for statements that may be repeated without an effect on other threads. */
function mayStandInWait(s: Statement, wait: 'wait' | 'waitAll'): boolean {
  if (s.kind === 'store')
    return wait === 'wait' && s.pointer.type.kind === 'pointer' && s.pointer.type.space === 'local';
  // A primitive with a result only reads.
  if (s.kind === 'call')
    return wait === 'wait' && isReadingCall(s) ? true : s.body === undefined && s.local !== undefined;
  return s.kind === 'load' || s.kind === 'clock' || s.kind === 'assign' || s.kind === 'if';
}

const bool = scalarType('bool');
const u32 = scalarType('u32');
const u64 = scalarType('u64');

function requires(e: Expression, type: Type, what: string, s: Statement, context: StatementContext): void {
  requireType(e, type, what, s.span, context.rules.report);
}

/** Checks that local `id` exists and has type `type`. */
function target(id: LocalId, type: Type, s: Statement, context: StatementContext): void {
  const { module, report } = context.rules;
  const declared = module.locals[id];
  if (declared === undefined) {
    report('unknownReference', `there is no local ${id}`, s.span);
  } else if (!sameType(declared.type, type)) {
    const given = `${typeName(type)}, but the local has type ${typeName(declared.type)}`;
    report('wrongTargetType', `${s.kind} sets local ${id} to ${given}`, s.span);
  }
}

/** The element type of `pointer`. */
function pointee(pointer: Expression, s: Statement, context: StatementContext): ValueType | undefined {
  if (pointer.type.kind === 'pointer') return pointer.type.element;
  const given = `the address of a ${s.kind} has type ${typeName(pointer.type)} but must be a pointer`;
  context.rules.report('wrongOperandType', given, pointer.span ?? s.span);
  return undefined;
}

function orders(
  s: Extract<Statement, { readonly kind: 'load' | 'store' }>,
  allowed: readonly MemoryOrder[],
  context: StatementContext,
): void {
  if (s.access === undefined || allowed.includes(s.access.order)) return;
  const message = `a ${s.kind} cannot be ${s.access.order}, only ${allowed.join(', ')}`;
  context.rules.report('wrongOrder', message, s.span);
}

function coop(group: Coop, span: Span, context: StatementContext): void {
  checkCoop(group, span, context.rules.report);
}

function checkAtomic(s: AtomicStatement, context: StatementContext): void {
  const element = pointee(s.pointer, s, context);
  const meaning = atomicMeaning[s.op];
  if ((meaning.kind === 'compare') !== (s.expected !== undefined)) {
    context.rules.report('wrongShape', `atomic ${s.op} ${s.expected ? 'has' : 'lacks'} an expected value`, s.span);
  }
  if (element === undefined) return;
  requires(s.value, element, `the operand of atomic ${s.op}`, s, context);
  if (s.expected !== undefined) requires(s.expected, element, 'the value that atomic cas expects', s, context);
  if (s.local !== undefined) target(s.local, element, s, context);
  const known = element.kind === 'scalar' && (meaning.kind !== 'binary' || hasBinary(meaning.op, element.scalar));
  if (!known) context.rules.report('wrongOperandType', `${typeName(element)} has no atomic ${s.op}`, s.span);
}

function checkCollective(s: CollectiveStatement, context: StatementContext): void {
  const { op, value, lane } = s;
  const named = op === 'bcast' || op === 'shfl' || op === 'shflUp' || op === 'shflDown' || op === 'shflXor';
  const shape = (value === undefined) === (op === 'activeMask') && (lane !== undefined) === named;
  if (!shape) context.rules.report('wrongShape', `${op} has too many or too few values or lanes`, s.span);
  const grouped = op === 'any' || op === 'all' || op === 'bcast' || op === 'activeMask';
  if (!grouped && s.coop.kind !== 'tile' && s.coop.kind !== 'lanes') {
    context.rules.report('wrongShape', `${op} needs threads of one warp, not a ${s.coop.kind}`, s.span);
  }
  coop(s.coop, s.span, context);
  if (lane !== undefined) requires(lane, u32, `the lane of ${op}`, s, context);
  if (named && value !== undefined) {
    if (!isValueType(value.type)) {
      context.rules.report('wrongOperandType', `${typeName(value.type)} has no ${op}`, value.span ?? s.span);
    }
    target(s.local, value.type, s, context);
    return;
  }
  if (value !== undefined) requires(value, bool, `the value of ${op}`, s, context);
  target(s.local, op === 'any' || op === 'all' ? bool : u32, s, context);
}

function checkBarrier(s: SyncStatement, { name, threads }: NamedBarrier, context: StatementContext): void {
  const { coop: group, span } = s;
  requires(name, u32, 'the name of a barrier', s, context);
  if (threads !== undefined) requires(threads, u32, 'the number of threads of a barrier', s, context);
  const isOfWarp = group.kind === 'lanes' || (group.kind === 'tile' && group.size === WARP_SIZE);
  if (group.kind !== 'cta' && !isOfWarp) {
    context.rules.report('wrongShape', `a ${group.kind} has no named barriers, only the CTA and warps have`, span);
  } else if (isOfWarp && threads !== undefined) {
    context.rules.report('wrongShape', 'a barrier of a warp has a number of threads, only those of the CTA do', span);
  }
}

function checkVote(s: SyncStatement, { value, local }: BarrierVote, context: StatementContext): void {
  if (s.coop.kind !== 'cta' || s.barrier === undefined) {
    context.rules.report('wrongShape', 'a vote needs a named barrier of the CTA', s.span);
  }
  requires(value, bool, 'the vote at a barrier', s, context);
  target(local, u32, s, context);
}

const table: StatementTable<StatementContext, void> = {
  assign: (s, context) => target(s.local, s.value.type, s, context),
  load: (s, context) => {
    const element = pointee(s.pointer, s, context);
    if (element !== undefined) target(s.local, element, s, context);
    orders(s, ['relaxed', 'acquire', 'seq_cst'], context);
  },
  store: (s, context) => {
    const element = pointee(s.pointer, s, context);
    if (element !== undefined) requires(s.value, element, 'the value of a store', s, context);
    orders(s, ['relaxed', 'release', 'seq_cst'], context);
  },
  atomic: checkAtomic,
  fence: () => {},
  fenceProxy: () => {},
  sync: (s, context) => {
    coop(s.coop, s.span, context);
    if (s.barrier !== undefined) checkBarrier(s, s.barrier, context);
    if (s.vote !== undefined) checkVote(s, s.vote, context);
  },
  wait: (s, context) => {
    checkBody(s.body, { ...context, inWait: 'wait' });
    if (liftFromWait(s.body) === undefined) {
      context.rules.report('effectInWait', 'a wait changes an argument of a call in it', s.span);
    }
    requires(s.condition, bool, 'the condition of a wait', s, context);
  },
  waitAll: (s, context) => {
    coop(s.coop, s.span, context);
    requires(s.count, u32, 'the count of a waitAll', s, context);
    target(s.index, u32, s, context);
    checkBody(s.body, { ...context, inWait: 'waitAll' });
    requires(s.condition, bool, 'the condition of a waitAll', s, context);
  },
  collective: checkCollective,
  if: (s, context) => {
    requires(s.condition, bool, 'the condition of an if', s, context);
    checkBody(s.then, context);
    checkBody(s.else, context);
  },
  loop: (s, context) => {
    if (s.condition !== undefined) requires(s.condition, bool, 'the condition of a loop', s, context);
    checkBody(s.body, { ...context, inLoop: true });
    checkBody(s.update, { ...context, inLoop: true });
  },
  break: jump,
  continue: jump,
  block: (s, context) => {
    if (context.used.has(s.label))
      context.rules.report('repeatedLabel', `two nested blocks have the label ${s.label}`, s.span);
    context.used.add(s.label);
    checkBody(s.body, { ...context, labels: new Set([...context.labels, s.label]) });
  },
  leave: (s, context) => {
    if (context.labels.has(s.label)) return;
    context.rules.report('leaveOutsideBlock', `leave ${s.label} is outside block ${s.label}`, s.span);
  },
  return: () => {},
  assert: (s, context) => {
    requires(s.condition, bool, 'what is asserted', s, context);
    if (s.values === undefined) return;
    for (const value of s.values) {
      if (value.type.kind === 'scalar') continue;
      const text = `a message cannot show a ${typeName(value.type)}`;
      context.rules.report('wrongOperandType', text, value.span ?? s.span);
    }
    const given = s.values.length;
    const wanted = s.contract === true ? countPlaceholders(s.message) : 0;
    if (given === wanted) return;
    context.rules.report('wrongOperandType', `a message with ${wanted} placeholders has ${given} values`, s.span);
  },
  print: (s, context) => {
    for (const arg of s.args) {
      if (typeof arg === 'string' || arg.type.kind !== 'handle') continue;
      context.rules.report('wrongOperandType', `a ${typeName(arg.type)} cannot be printed`, arg.span ?? s.span);
    }
  },
  approximate: () => undefined,
  clock: (s, context) => target(s.local, u64, s, context),
  call: (s, context) => {
    checkStatics(s.statics, s.span, context.rules.report);
    const { locals } = context.rules.module;
    if (s.local !== undefined && locals[s.local] === undefined) {
      context.rules.report('unknownReference', `there is no local ${s.local}`, s.span);
    }
    // A backend may emit its own code for the call, so nothing in the body may jump out of it.
    if (s.body !== undefined) {
      checkBody(s.body, { ...context, inLoop: false, labels: new Set(), inWait: undefined });
    }
  },
};

function jump(s: Statement, context: StatementContext): void {
  if (!context.inLoop) context.rules.report('jumpOutsideLoop', `${s.kind} is outside a loop`, s.span);
}
