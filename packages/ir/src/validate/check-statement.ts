import { WARP_SIZE } from '@nccl-ts/core';
import type { MemoryOrder } from '@nccl-ts/core';
import { atomicMeaning } from '../atomic-meaning.ts';
import { hasBinary } from '../arithmetic/operations.ts';
import { placesOfValues } from '../contract-text.ts';
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
interface Place {
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

function checkBody(body: Body, place: Place): void {
  for (const statement of body) {
    for (const e of statementExpressions(statement)) checkExpression(e, statement.span, place.rules);
    const { kind } = statement;
    if (place.inWait !== undefined && !mayStandInWait(statement, place.inWait)) {
      place.rules.report(
        'effectInWait',
        `${kind} is in a ${place.inWait}, which may only load, assign and branch`,
        statement.span,
      );
    }
    dispatchStatement(table, statement, place);
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

function requires(e: Expression, type: Type, what: string, s: Statement, place: Place): void {
  requireType(e, type, what, s.span, place.rules.report);
}

/** Checks that local `id` exists and has type `type`. */
function target(id: LocalId, type: Type, s: Statement, place: Place): void {
  const { module, report } = place.rules;
  const declared = module.locals[id];
  if (declared === undefined) {
    report('unknownReference', `there is no local ${id}`, s.span);
  } else if (!sameType(declared.type, type)) {
    const given = `${typeName(type)}, but the local has type ${typeName(declared.type)}`;
    report('wrongTargetType', `${s.kind} sets local ${id} to ${given}`, s.span);
  }
}

/** The element type of `pointer`. */
function pointee(pointer: Expression, s: Statement, place: Place): ValueType | undefined {
  if (pointer.type.kind === 'pointer') return pointer.type.element;
  const given = `the address of a ${s.kind} has type ${typeName(pointer.type)} but must be a pointer`;
  place.rules.report('wrongOperandType', given, pointer.span ?? s.span);
  return undefined;
}

function orders(
  s: Extract<Statement, { readonly kind: 'load' | 'store' }>,
  allowed: readonly MemoryOrder[],
  place: Place,
): void {
  if (s.access === undefined || allowed.includes(s.access.order)) return;
  const message = `a ${s.kind} cannot be ${s.access.order}, only ${allowed.join(', ')}`;
  place.rules.report('wrongOrder', message, s.span);
}

function coop(group: Coop, span: Span, place: Place): void {
  checkCoop(group, span, place.rules.report);
}

function checkAtomic(s: AtomicStatement, place: Place): void {
  const element = pointee(s.pointer, s, place);
  const meaning = atomicMeaning[s.op];
  if ((meaning.kind === 'compare') !== (s.expected !== undefined)) {
    place.rules.report('wrongShape', `atomic ${s.op} ${s.expected ? 'has' : 'lacks'} an expected value`, s.span);
  }
  if (element === undefined) return;
  requires(s.value, element, `the operand of atomic ${s.op}`, s, place);
  if (s.expected !== undefined) requires(s.expected, element, 'the value that atomic cas expects', s, place);
  if (s.local !== undefined) target(s.local, element, s, place);
  const known = element.kind === 'scalar' && (meaning.kind !== 'binary' || hasBinary(meaning.op, element.scalar));
  if (!known) place.rules.report('wrongOperandType', `${typeName(element)} has no atomic ${s.op}`, s.span);
}

function checkCollective(s: CollectiveStatement, place: Place): void {
  const { op, value, lane } = s;
  const named = op === 'bcast' || op === 'shfl' || op === 'shflUp' || op === 'shflDown' || op === 'shflXor';
  const shape = (value === undefined) === (op === 'activeMask') && (lane !== undefined) === named;
  if (!shape) place.rules.report('wrongShape', `${op} has too many or too few values or lanes`, s.span);
  const grouped = op === 'any' || op === 'all' || op === 'bcast' || op === 'activeMask';
  if (!grouped && s.coop.kind !== 'tile' && s.coop.kind !== 'lanes') {
    place.rules.report('wrongShape', `${op} needs threads of one warp, not a ${s.coop.kind}`, s.span);
  }
  coop(s.coop, s.span, place);
  if (lane !== undefined) requires(lane, u32, `the lane of ${op}`, s, place);
  if (named && value !== undefined) {
    if (!isValueType(value.type)) {
      place.rules.report('wrongOperandType', `${typeName(value.type)} has no ${op}`, value.span ?? s.span);
    }
    target(s.local, value.type, s, place);
    return;
  }
  if (value !== undefined) requires(value, bool, `the value of ${op}`, s, place);
  target(s.local, op === 'any' || op === 'all' ? bool : u32, s, place);
}

function checkBarrier(s: SyncStatement, { name, threads }: NamedBarrier, place: Place): void {
  const { coop: group, span } = s;
  requires(name, u32, 'the name of a barrier', s, place);
  if (threads !== undefined) requires(threads, u32, 'the number of threads of a barrier', s, place);
  const isOfWarp = group.kind === 'lanes' || (group.kind === 'tile' && group.size === WARP_SIZE);
  if (group.kind !== 'cta' && !isOfWarp) {
    place.rules.report('wrongShape', `a ${group.kind} has no named barriers, only the CTA and warps have`, span);
  } else if (isOfWarp && threads !== undefined) {
    place.rules.report('wrongShape', 'a barrier of a warp has a number of threads, only those of the CTA do', span);
  }
}

function checkVote(s: SyncStatement, { value, local }: BarrierVote, place: Place): void {
  if (s.coop.kind !== 'cta' || s.barrier === undefined) {
    place.rules.report('wrongShape', 'a vote needs a named barrier of the CTA', s.span);
  }
  requires(value, bool, 'the vote at a barrier', s, place);
  target(local, u32, s, place);
}

const table: StatementTable<Place, void> = {
  assign: (s, place) => target(s.local, s.value.type, s, place),
  load: (s, place) => {
    const element = pointee(s.pointer, s, place);
    if (element !== undefined) target(s.local, element, s, place);
    orders(s, ['relaxed', 'acquire', 'seq_cst'], place);
  },
  store: (s, place) => {
    const element = pointee(s.pointer, s, place);
    if (element !== undefined) requires(s.value, element, 'the value of a store', s, place);
    orders(s, ['relaxed', 'release', 'seq_cst'], place);
  },
  atomic: checkAtomic,
  fence: () => {},
  fenceProxy: () => {},
  sync: (s, place) => {
    coop(s.coop, s.span, place);
    if (s.barrier !== undefined) checkBarrier(s, s.barrier, place);
    if (s.vote !== undefined) checkVote(s, s.vote, place);
  },
  wait: (s, place) => {
    checkBody(s.body, { ...place, inWait: 'wait' });
    if (liftFromWait(s.body) === undefined) {
      place.rules.report('effectInWait', 'a wait changes an argument of a call in it', s.span);
    }
    requires(s.condition, bool, 'the condition of a wait', s, place);
  },
  waitAll: (s, place) => {
    coop(s.coop, s.span, place);
    requires(s.count, u32, 'the count of a waitAll', s, place);
    target(s.index, u32, s, place);
    checkBody(s.body, { ...place, inWait: 'waitAll' });
    requires(s.condition, bool, 'the condition of a waitAll', s, place);
  },
  collective: checkCollective,
  if: (s, place) => {
    requires(s.condition, bool, 'the condition of an if', s, place);
    checkBody(s.then, place);
    checkBody(s.else, place);
  },
  loop: (s, place) => {
    if (s.condition !== undefined) requires(s.condition, bool, 'the condition of a loop', s, place);
    checkBody(s.body, { ...place, inLoop: true });
    checkBody(s.update, { ...place, inLoop: true });
  },
  break: jump,
  continue: jump,
  block: (s, place) => {
    if (place.used.has(s.label))
      place.rules.report('repeatedLabel', `two nested blocks have the label ${s.label}`, s.span);
    place.used.add(s.label);
    checkBody(s.body, { ...place, labels: new Set([...place.labels, s.label]) });
  },
  leave: (s, place) => {
    if (place.labels.has(s.label)) return;
    place.rules.report('leaveOutsideBlock', `leave ${s.label} is outside block ${s.label}`, s.span);
  },
  return: () => {},
  assert: (s, place) => {
    requires(s.condition, bool, 'what is asserted', s, place);
    if (s.values === undefined) return;
    for (const value of s.values) {
      if (value.type.kind === 'scalar') continue;
      const text = `a message cannot show a ${typeName(value.type)}`;
      place.rules.report('wrongOperandType', text, value.span ?? s.span);
    }
    const given = s.values.length;
    const wanted = s.contract === true ? placesOfValues(s.message) : 0;
    if (given === wanted) return;
    place.rules.report('wrongOperandType', `a message with ${wanted} placeholders has ${given} values`, s.span);
  },
  print: (s, place) => {
    for (const arg of s.args) {
      if (typeof arg === 'string' || arg.type.kind !== 'handle') continue;
      place.rules.report('wrongOperandType', `a ${typeName(arg.type)} cannot be printed`, arg.span ?? s.span);
    }
  },
  clock: (s, place) => target(s.local, u64, s, place),
  call: (s, place) => {
    checkStatics(s.statics, s.span, place.rules.report);
    const { locals } = place.rules.module;
    if (s.local !== undefined && locals[s.local] === undefined) {
      place.rules.report('unknownReference', `there is no local ${s.local}`, s.span);
    }
    // A backend may emit its own code for the call, so nothing in the body may jump out of it.
    if (s.body !== undefined) {
      checkBody(s.body, { ...place, inLoop: false, labels: new Set(), inWait: undefined });
    }
  },
};

function jump(s: Statement, place: Place): void {
  if (!place.inLoop) place.rules.report('jumpOutsideLoop', `${s.kind} is outside a loop`, s.span);
}
