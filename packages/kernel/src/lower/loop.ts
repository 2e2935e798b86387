import type {
  DoWhileStatement,
  Expression as Syntax,
  ForOfStatement,
  ForStatement,
  Statement as SyntaxStatement,
  WhileStatement,
} from 'acorn';
import type { Expression, Span, Statement } from '@nccl-ts/ir';
import { captureReports } from '../diagnose/capture-reports.ts';
import { knownCondition } from './known-condition.ts';
import { asCondition } from './convert.ts';
import { lowerPlaced, lowerWhole } from './expression.ts';
import { endsEarly, type Lowering } from './lowering.ts';
import { literalOperand, poison } from './operand.ts';
import { bindPattern } from './pattern.ts';
import { not } from './operator.ts';
import { lowerStatement, lowerStatements } from './statement.ts';
import { block, structureLoop, type Loop } from './structure.ts';
import { spinAsWait } from './wait.ts';

interface LoopParts {
  readonly test: Syntax | null | undefined;
  readonly body: SyntaxStatement;
  readonly update: Syntax | null | undefined;
  readonly span: Span;
}

export function lowerFor(l: Lowering, node: ForStatement): void {
  const span = l.span(node);
  l.scoped(span, () => {
    const { init } = node;
    if (init?.type === 'VariableDeclaration') lowerStatement(l, init);
    else if (init) lowerWhole(l, init, true);
    lowerLoop(l, { test: node.test, body: node.body, update: node.update, span });
  });
}

export function lowerWhile(l: Lowering, node: WhileStatement): void {
  lowerLoop(l, { test: node.test, body: node.body, update: undefined, span: l.span(node) });
}

/** A loop that tests before each round. */
function lowerLoop(l: Lowering, { test, body, update, span }: LoopParts): void {
  const head = l.collect(() => (test ? lowerTest(l, test) : true));
  if (head.result === false) return;
  const rounds = lowerRounds(l, body, span);
  const step = l.collect(() => {
    if (update) lowerWhole(l, update, true);
  });
  // A test that only computes is the loop's condition; one that loads is part of each round.
  const pure = head.body.length === 0 && head.result !== true && head.result !== undefined;
  const leave: Statement[] = typeof head.result === 'object' && !pure ? [breakUnless(head.result, span)] : [];
  emitLoop(l, {
    condition: pure && typeof head.result === 'object' ? head.result : undefined,
    body: pure ? rounds : [...head.body, ...leave, ...rounds],
    update: step.body,
    span,
  });
}

export function lowerDoWhile(l: Lowering, node: DoWhileStatement): void {
  const span = l.span(node);
  const rounds = lowerRounds(l, node.body, span);
  const tail = l.collect(() => lowerTest(l, node.test));
  const leave: Statement[] =
    tail.result === false
      ? [{ kind: 'break', span }]
      : typeof tail.result === 'object'
        ? [breakUnless(tail.result, span)]
        : [];
  emitLoop(l, { condition: undefined, body: rounds, update: [...tail.body, ...leave], span });
}

/** Returns the test as a constant or a condition, or `undefined` after a report. */
function lowerTest(l: Lowering, node: Syntax): boolean | Expression | undefined {
  const { operand, span } = lowerWhole(l, node);
  const known = knownCondition(operand);
  if (known !== undefined) return known;
  const condition = asCondition(l, operand, span);
  return condition?.kind === 'constant' ? condition.value === true : condition;
}

function breakUnless(condition: Expression, span: Span): Statement {
  return { kind: 'if', condition: not(condition, span), then: [{ kind: 'break', span }], else: [], span };
}

function lowerRounds(l: Lowering, body: SyntaxStatement, span: Span): Statement[] {
  const scopeDepth = l.scopes.length;
  const leave = (kind: 'break' | 'continue') => (at: Span) => {
    l.unwind(scopeDepth, at);
    l.emit({ kind, span: at });
  };
  l.loops.push({ scopeDepth, frame: l.frame.depth, breakOut: leave('break'), continueOn: leave('continue') });
  try {
    return l.collect(() => l.scoped(span, () => lowerStatements(l, [body]))).body;
  } finally {
    l.loops.pop();
  }
}

function emitLoop(l: Lowering, loop: Loop): void {
  const wait = spinAsWait(l, loop);
  if (wait !== undefined) {
    l.emit(wait);
    return;
  }
  const { condition, body, update, span } = structureLoop(loop, l.tooDeep);
  l.emit({ kind: 'loop', body, update, span, ...(condition === undefined ? {} : { condition }) });
}

/** Lowers `for (const i of unroll(n))`. The body is repeated for each value. */
export function lowerForOf(l: Lowering, node: ForOfStatement): void {
  const { operand, span: over } = lowerPlaced(l, node.right);
  const { left } = node;
  const name = left.type === 'VariableDeclaration' ? left.declarations[0]?.id : left;
  if (operand.kind !== 'unroll' || left.type !== 'VariableDeclaration' || name?.type !== 'Identifier') {
    if (operand.kind === 'unroll') l.report(captureReports.forOfName(l.span(name ?? left)));
    else if (operand.kind !== 'poison') l.report(captureReports.forOf(over));
    // The body is lowered too, because it may have errors of its own.
    l.collect(() => {
      if (left.type === 'VariableDeclaration' && name) bindPattern(l, name, poison, over);
      lowerRound(l, node.body, { used: false, label: l.newLabel() });
    });
    return;
  }
  const declaration = l.frame.text.resolution.of.get(name);
  const out: LeaveTarget = { used: false, label: l.newLabel() };
  const all = l.collect(() => {
    // A round that always breaks is the last one.
    for (let i = 0; i < operand.count && !endsEarly(l.out); i++) {
      if (declaration) l.environment.bind(declaration, { kind: 'fixed', operand: literalOperand(i) });
      lowerRound(l, node.body, out);
    }
  });
  emitBlock(l, out, all.body, l.span(node));
}

interface LeaveTarget {
  used: boolean;
  readonly label: number;
}

/** Lowers one unrolled round. `continue` leaves this round, and `break` leaves all rounds. */
function lowerRound(l: Lowering, body: SyntaxStatement, out: LeaveTarget): void {
  const span = l.span(body);
  const round: LeaveTarget = { used: false, label: l.newLabel() };
  const scopeDepth = l.scopes.length;
  const leave = (target: LeaveTarget) => (at: Span) => {
    target.used = true;
    l.unwind(scopeDepth, at);
    l.emit({ kind: 'leave', label: target.label, span: at });
  };
  l.loops.push({ scopeDepth, frame: l.frame.depth, breakOut: leave(out), continueOn: leave(round) });
  try {
    const lowered = l.collect(() => l.scoped(span, () => lowerStatements(l, [body])));
    emitBlock(l, round, lowered.body, span);
  } finally {
    l.loops.pop();
  }
}

function emitBlock(l: Lowering, { used, label }: LeaveTarget, body: readonly Statement[], span: Span): void {
  for (const statement of used ? block(label, body, span, l.tooDeep) : body) l.emit(statement);
}
