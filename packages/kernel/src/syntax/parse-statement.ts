import type {
  BlockStatement,
  CatchClause,
  Expression,
  Statement,
  SwitchCase,
  SwitchStatement,
  TryStatement,
} from 'acorn';
import { parseClassDeclaration } from './parse-class.ts';
import { parseFor } from './parse-for.ts';
import { parseFunctionDeclaration } from './parse-function.ts';
import { parseName } from './parse-name.ts';
import { declarationKind, parseVariables } from './parse-variables.ts';
import { toPattern } from './to-pattern.ts';
import type { TokenCursor } from './token-cursor.ts';

export function parseBlock(p: TokenCursor): BlockStatement {
  const { start } = p.token;
  p.expect('{');
  const body: Statement[] = [];
  while (!p.is('}')) body.push(parseStatement(p));
  p.take();
  return { type: 'BlockStatement', start, end: p.lastEnd, body };
}

export function parseStatement(p: TokenCursor): Statement {
  const { start, kind, text } = p.token;
  if (p.is('{')) return parseBlock(p);
  if (p.takes(';')) return { type: 'EmptyStatement', start, end: p.lastEnd };
  const declared = declarationKind(p);
  if (declared !== undefined) {
    const declaration = parseVariables(p, declared);
    p.endStatement();
    return { ...declaration, end: p.lastEnd };
  }
  return (kind === 'word' ? parseKeyword(p, start, text) : undefined) ?? parseExpressionStatement(p);
}

/** Parses a statement that begins with a word of its own; `undefined` if it does not. */
function parseKeyword(p: TokenCursor, start: number, word: string): Statement | undefined {
  switch (word) {
    case 'if': {
      p.take();
      const test = parseCondition(p);
      const consequent = parseStatement(p);
      const alternate = p.takesWord('else') ? parseStatement(p) : null;
      return { type: 'IfStatement', start, end: p.lastEnd, test, consequent, alternate };
    }
    case 'for':
      return parseFor(p);
    case 'while': {
      p.take();
      const test = parseCondition(p);
      const body = parseStatement(p);
      return { type: 'WhileStatement', start, end: p.lastEnd, test, body };
    }
    case 'do': {
      p.take();
      const body = parseStatement(p);
      p.expectWord('while');
      const test = parseCondition(p);
      p.takes(';');
      return { type: 'DoWhileStatement', start, end: p.lastEnd, body, test };
    }
    case 'return': {
      p.take();
      const argument = isStatementEnd(p) ? null : p.grammar.expression(p);
      p.endStatement();
      return { type: 'ReturnStatement', start, end: p.lastEnd, argument };
    }
    case 'break':
    case 'continue': {
      p.take();
      const label = isStatementEnd(p) ? null : parseName(p);
      p.endStatement();
      return { type: word === 'break' ? 'BreakStatement' : 'ContinueStatement', start, end: p.lastEnd, label };
    }
    case 'throw': {
      p.take();
      const argument = p.grammar.expression(p);
      p.endStatement();
      return { type: 'ThrowStatement', start, end: p.lastEnd, argument };
    }
    case 'debugger':
      p.take();
      p.endStatement();
      return { type: 'DebuggerStatement', start, end: p.lastEnd };
    case 'with': {
      p.take();
      const object = parseCondition(p);
      const body = parseStatement(p);
      return { type: 'WithStatement', start, end: p.lastEnd, object, body };
    }
    case 'switch':
      return parseSwitch(p);
    case 'try':
      return parseTry(p);
    case 'class':
      return parseClassDeclaration(p);
    case 'function':
      return parseFunctionDeclaration(p);
    case 'async': {
      const { text, isAfterNewline } = p.peek();
      return text === 'function' && !isAfterNewline ? parseFunctionDeclaration(p) : undefined;
    }
    default:
      return undefined;
  }
}

/** The expression in parentheses after the word of a statement. */
function parseCondition(p: TokenCursor): Expression {
  p.expect('(');
  const test = p.grammar.expression(p);
  p.expect(')');
  return test;
}

function isStatementEnd(p: TokenCursor): boolean {
  return p.is(';') || p.is('}') || p.token.kind === 'end' || p.token.isAfterNewline;
}

function parseExpressionStatement(p: TokenCursor): Statement {
  const { start } = p.token;
  const expression = p.grammar.expression(p);
  if (expression.type === 'Identifier' && p.lastEnd === expression.end && p.takes(':')) {
    const body = parseStatement(p);
    return { type: 'LabeledStatement', start, end: p.lastEnd, label: expression, body };
  }
  p.endStatement();
  return { type: 'ExpressionStatement', start, end: p.lastEnd, expression };
}

function parseSwitch(p: TokenCursor): SwitchStatement {
  const { start } = p.take();
  const discriminant = parseCondition(p);
  const cases: SwitchCase[] = [];
  p.expect('{');
  while (!p.takes('}')) {
    const first = p.token.start;
    const test = p.takesWord('default') ? null : (p.expectWord('case'), p.grammar.expression(p));
    p.expect(':');
    const consequent: Statement[] = [];
    while (!p.is('}') && !p.isWord('case') && !p.isWord('default')) consequent.push(parseStatement(p));
    cases.push({ type: 'SwitchCase', start: first, end: p.lastEnd, consequent, test });
  }
  return { type: 'SwitchStatement', start, end: p.lastEnd, discriminant, cases };
}

function parseTry(p: TokenCursor): TryStatement {
  const { start } = p.take();
  const block = parseBlock(p);
  const handler = p.isWord('catch') ? parseCatch(p) : null;
  const finalizer = p.takesWord('finally') ? parseBlock(p) : null;
  if (handler === null && finalizer === null) p.fail('Missing catch or finally clause', start);
  return { type: 'TryStatement', start, end: p.lastEnd, block, handler, finalizer };
}

function parseCatch(p: TokenCursor): CatchClause {
  const { start } = p.take();
  let param: CatchClause['param'] = null;
  if (p.takes('(')) {
    param = toPattern(p, p.grammar.assignment(p));
    p.expect(')');
  }
  const body = parseBlock(p);
  return { type: 'CatchClause', start, end: p.lastEnd, param, body };
}
