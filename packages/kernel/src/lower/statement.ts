import type { Expression, Pattern, ReturnStatement, Statement as Syntax, VariableDeclaration } from 'acorn';
import type { Span } from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { captureReports } from '../diagnose/capture-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { knownCondition } from './known-condition.ts';
import { asCondition } from './convert.ts';
import { lowerWhole } from './expression.ts';
import { closureOperand } from './inline.ts';
import { lowerDoWhile, lowerFor, lowerForOf, lowerWhile } from './loop.ts';
import { endsEarly, type Lowering } from './lowering.ts';
import { absent, poison } from './operand.ts';
import type { SpannedOperand } from './operand.ts';
import { takeReturn } from './return-slot.ts';
import { bindPattern } from './pattern.ts';
import { branch } from './structure.ts';
import { assignCell, bindConstant } from './variable.ts';

/** Lowers a list of statements in the current scope, without the unreachable ones. */
export function lowerStatements(l: Lowering, nodes: readonly Syntax[]): void {
  // Functions may be called above their declaration.
  for (const node of nodes) {
    if (node.type !== 'FunctionDeclaration') continue;
    const declaration = l.frame.text.resolution.of.get(node.id);
    if (declaration) l.environment.bind(declaration, { kind: 'fixed', operand: closureOperand(l, node, node.id.name) });
  }
  declareOpenVars(l, nodes);
  for (const node of nodes) {
    if (endsEarly(l.out)) return;
    lowerStatement(l, node);
  }
}

/** `var x;` may follow the statement that assigns `x`, as minifiers put it behind a `return`. */
function declareOpenVars(l: Lowering, nodes: readonly Syntax[]): void {
  for (const node of nodes) {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'var') continue;
    for (const { id, init } of node.declarations) {
      const declaration = id.type === 'Identifier' ? l.frame.text.resolution.of.get(id) : undefined;
      if (init || declaration === undefined || l.environment.lookup(declaration) !== undefined) continue;
      bindPattern(l, id, absent, l.span(id));
    }
  }
}

export function lowerStatement(l: Lowering, node: Syntax): void {
  l.lowerNode(node, () => lowerNode(l, node));
}

function lowerNode(l: Lowering, node: Syntax): void {
  switch (node.type) {
    case 'ExpressionStatement':
      lowerWhole(l, node.expression, true);
      return;
    case 'VariableDeclaration':
      lowerDeclaration(l, node);
      return;
    case 'IfStatement':
      lowerIf(l, node);
      return;
    case 'ForStatement':
      lowerFor(l, node);
      return;
    case 'WhileStatement':
      lowerWhile(l, node);
      return;
    case 'DoWhileStatement':
      lowerDoWhile(l, node);
      return;
    case 'ForOfStatement':
      lowerForOf(l, node);
      return;
    case 'BlockStatement':
      l.scoped(l.span(node), () => lowerStatements(l, node.body));
      return;
    case 'ReturnStatement':
      lowerReturn(l, node);
      return;
    case 'BreakStatement':
    case 'ContinueStatement': {
      const span = l.span(node);
      const loop = l.loops.at(-1);
      if (node.label) l.report(captureReports.labelled(span));
      else if (loop === undefined || loop.frame !== l.frame.depth) l.report(captureReports.labelled(span));
      else if (node.type === 'BreakStatement') loop.breakOut(span);
      else loop.continueOn(span);
      return;
    }
    case 'EmptyStatement':
    case 'FunctionDeclaration':
      return;
    case 'SwitchStatement':
      l.report(captureReports.switchStatement(keyword(l, node, 'switch')));
      return;
    case 'TryStatement':
      l.report(captureReports.exception(keyword(l, node, 'try'), '`try`'));
      // The statements are lowered too, because they may have errors of their own.
      l.scoped(l.span(node.block), () => lowerStatements(l, node.block.body));
      return;
    case 'ThrowStatement':
      l.report(captureReports.exception(keyword(l, node, 'throw'), '`throw`'));
      return;
    case 'ClassDeclaration':
      l.report(captureReports.classDefinition(keyword(l, node, 'class')));
      bindPattern(l, node.id, poison, l.span(node.id));
      return;
    case 'LabeledStatement':
      l.report(captureReports.labelled(l.span(node.label)));
      return;
    case 'ForInStatement':
      l.report(captureReports.forIn(l.span({ start: node.left.start, end: node.right.end })));
      return;
    case 'WithStatement':
      l.report(captureReports.withStatement(keyword(l, node, 'with')));
      return;
    case 'DebuggerStatement':
      l.report(captureReports.debuggerStatement(keyword(l, node, 'debugger')));
      return;
  }
}

/** The word that a statement begins with. */
function keyword(l: Lowering, node: Syntax, word: string): Span {
  return l.span({ start: node.start, end: node.start + word.length });
}

function lowerDeclaration(l: Lowering, node: VariableDeclaration): void {
  if (node.kind === 'using' || node.kind === 'await using') {
    l.report(captureReports.usingDeclaration(keyword(l, node, node.kind)));
    for (const { id } of node.declarations) bindPattern(l, id, poison, l.span(id));
    return;
  }
  for (const { id, init } of node.declarations) {
    if (!init) {
      // A second `var x;` does not change the value.
      const declaration = id.type === 'Identifier' ? l.frame.text.resolution.of.get(id) : undefined;
      if (declaration !== undefined && node.kind === 'var' && l.environment.lookup(declaration) !== undefined) continue;
      bindPattern(l, id, absent, l.span(id));
      continue;
    }
    const { operand, span } = named(l, id, init) ?? lowerWhole(l, init);
    if (operand.kind === 'session' && !makesSession(init)) l.report(callReports.sessionCopied(span));
    if (operand.kind === 'void') {
      l.report(typeReports.noValue(span, 'this call'));
      bindPattern(l, id, poison, span);
      continue;
    }
    const declaration = id.type === 'Identifier' ? l.frame.text.resolution.of.get(id) : undefined;
    const known = declaration && l.environment.lookup(declaration);
    if (
      node.kind === 'var' &&
      known?.kind === 'variable' &&
      declaration?.assigned === true &&
      id.type === 'Identifier' &&
      known.frame === l.frame.depth
    ) {
      assignCell(l, known.box, operand, span);
    } else if (declaration?.assigned === true) bindPattern(l, id, operand, span);
    else bindPattern(l, id, bindConstant(l, id.type === 'Identifier' ? id.name : 'part', operand, span), span);
  }
}

/** `const f = (a) => ...`: the function gets the name of the variable. */
function named(l: Lowering, id: Pattern, init: Expression): SpannedOperand | undefined {
  if (id.type !== 'Identifier') return undefined;
  if (init.type !== 'ArrowFunctionExpression' && (init.type !== 'FunctionExpression' || init.id)) return undefined;
  return { operand: closureOperand(l, init, id.name), span: l.span(init) };
}

/** True if an initialiser can create a session, and is not the name of an existing one. */
function makesSession(init: Expression): boolean {
  return init.type !== 'Identifier' && init.type !== 'MemberExpression' && init.type !== 'AssignmentExpression';
}

function lowerIf(l: Lowering, node: Extract<Syntax, { type: 'IfStatement' }>): void {
  const span = l.span(node);
  const test = lowerWhole(l, node.test);
  const known = knownCondition(test.operand);
  if (known !== undefined) {
    const taken = known ? node.consequent : node.alternate;
    if (taken) l.scoped(l.span(taken), () => lowerStatements(l, [taken]));
    return;
  }
  const condition = asCondition(l, test.operand, test.span);
  const arm = (body: Syntax | null | undefined): ReturnType<typeof l.collect<void>>['body'] =>
    body ? l.collect(() => l.scoped(l.span(body), () => lowerStatements(l, [body]))).body : [];
  const then = arm(node.consequent);
  const otherwise = arm(node.alternate);
  if (condition === undefined) return;
  if (condition.kind === 'constant') {
    for (const statement of condition.value === true ? then : otherwise) l.emit(statement);
    return;
  }
  for (const statement of branch(condition, then, otherwise, span)) l.emit(statement);
}

function lowerReturn(l: Lowering, node: ReturnStatement): void {
  const span = l.span(node);
  const { frame } = l;
  if (frame.kernel) {
    if (node.argument) {
      // `return void f()` and `return f()` are how minifiers end a kernel with a call.
      const { operand, span: at } = lowerWhole(l, node.argument);
      if (operand.kind !== 'void' && operand.kind !== 'absent' && operand.kind !== 'poison')
        l.report(callReports.kernelReturnsValue(at));
    }
    l.unwind(frame.scopeDepth, span);
    l.emit({ kind: 'return', span });
    return;
  }
  const { returns } = frame;
  if (node.argument) {
    const { operand, span: at } = lowerWhole(l, node.argument);
    takeReturn(l, returns, operand, at);
  } else returns.valueless = true;
  l.unwind(frame.scopeDepth, span);
  if (returns.label === undefined) throw new Error(`The body of '${frame.name}' has no label for its return.`);
  l.emit({ kind: 'leave', label: returns.label, span });
}
