import { atomicMeaning } from '../atomic-meaning.ts';
import { collectiveNames } from '../print/symbols.ts';
import type { LocalId } from '../expression.ts';
import type {
  AtomicStatement,
  Body,
  CallStatement,
  CollectiveStatement,
  NamedBarrier,
  SyncStatement,
  Statement,
} from '../statement.ts';
import type { Cursor } from './cursor.ts';
import { parseCoop, parseExpression, parseList, parseStatics, type ExpressionScope } from './parse-expression.ts';
import { parseAccess, parseName, parseProxy, parseSpan, parseString, requireAccess } from './parse-words.ts';

/** Parses the statements between braces. */
export function parseBody(cursor: Cursor, scope: ExpressionScope): Body {
  const body: Statement[] = [];
  cursor.take('{');
  while (!cursor.accept('}')) body.push(Object.freeze(parseStatement(cursor, scope)));
  return Object.freeze(body);
}

function parseStatement(cursor: Cursor, scope: ExpressionScope): Statement {
  if (cursor.accept('%')) {
    const local = parseTarget(cursor, scope);
    cursor.take('=');
    const { kind, text } = cursor.peek();
    const parse = kind === 'word' ? assigning.get(text) : undefined;
    if (parse !== undefined) {
      cursor.take(text);
      return parse(cursor, scope, local);
    }
    return { kind: 'assign', local, value: parseExpression(cursor, scope), span: parseSpan(cursor) };
  }
  const { kind, text } = cursor.peek();
  const parse = kind === 'word' ? statements.get(text) : undefined;
  if (parse === undefined) throw cursor.unexpected('a statement or "}"');
  cursor.take(text);
  return parse(cursor, scope);
}

/** Parses the number of a declared local, after its `%`. */
function parseTarget(cursor: Cursor, scope: ExpressionScope): LocalId {
  const problem = cursor.unexpected('the number of a declared local');
  const id = cursor.takeCount('the number of a local');
  if (scope.locals[id] === undefined) throw problem;
  return id;
}

function parseAtomic(cursor: Cursor, scope: ExpressionScope, local?: LocalId): AtomicStatement {
  const op = cursor.takeKey(atomicMeaning, 'an atomic operation');
  const pointer = parseExpression(cursor, scope);
  cursor.take(',');
  const value = parseExpression(cursor, scope);
  let expected = {};
  if (cursor.accept(',')) {
    cursor.take('expected');
    expected = { expected: parseExpression(cursor, scope) };
  }
  const access = requireAccess(cursor);
  const target = local === undefined ? {} : { local };
  return { kind: 'atomic', op, ...target, pointer, value, ...expected, access, span: parseSpan(cursor) };
}

function parseCall(cursor: Cursor, scope: ExpressionScope, local?: LocalId): CallStatement {
  const name = parseName(cursor);
  const statics = parseStatics(cursor, scope);
  cursor.take('(');
  const args = parseList(cursor, scope, ')');
  const session = cursor.accept('session') ? { session: cursor.takeCount('the number of a session') } : {};
  const span = parseSpan(cursor);
  const body = cursor.sees('{') ? { body: parseBody(cursor, scope) } : {};
  const target = local === undefined ? {} : { local };
  return { kind: 'call', name, statics, args, ...target, ...session, ...body, span };
}

function parseCollective(cursor: Cursor, scope: ExpressionScope, local: LocalId): CollectiveStatement {
  const op = cursor.takeKey(collectiveNames, 'a collective operation');
  const coop = parseCoop(cursor, scope);
  const value = cursor.accept('value') ? { value: parseExpression(cursor, scope) } : {};
  const lane = cursor.accept('lane') ? { lane: parseExpression(cursor, scope) } : {};
  return { kind: 'collective', op, coop, local, ...value, ...lane, span: parseSpan(cursor) };
}

function parseBarrier(cursor: Cursor, scope: ExpressionScope): NamedBarrier {
  const name = parseExpression(cursor, scope);
  const threads = cursor.accept('threads') ? { threads: parseExpression(cursor, scope) } : {};
  return { name, ...threads, isAligned: cursor.accept('aligned') };
}

/** A `sync` whose threads vote. */
function parseVote(cursor: Cursor, scope: ExpressionScope, local: LocalId): SyncStatement {
  const coop = parseCoop(cursor, scope);
  cursor.take('barrier');
  const barrier = parseBarrier(cursor, scope);
  cursor.take('vote');
  return {
    kind: 'sync',
    coop,
    barrier,
    vote: { value: parseExpression(cursor, scope), local },
    span: parseSpan(cursor),
  };
}

type Assigning = (cursor: Cursor, scope: ExpressionScope, local: LocalId) => Statement;

const assigningList: readonly (readonly [string, Assigning])[] = [
  [
    'load',
    (cursor, scope, local) => {
      const nonCoherent = cursor.accept('nc') ? { isNonCoherent: true as const } : {};
      const pointer = parseExpression(cursor, scope);
      const access = parseAccess(cursor);
      return { kind: 'load', local, pointer, ...(access && { access }), ...nonCoherent, span: parseSpan(cursor) };
    },
  ],
  ['atomic', parseAtomic],
  ['collective', parseCollective],
  ['sync', parseVote],
  ['clock', (cursor, _scope, local) => ({ kind: 'clock', local, span: parseSpan(cursor) })],
  ['call', parseCall],
];
const assigning: ReadonlyMap<string, Assigning> = new Map(assigningList);

type Starting = (cursor: Cursor, scope: ExpressionScope) => Statement;

const statementList: readonly (readonly [string, Starting])[] = [
  [
    'store',
    (cursor, scope) => {
      const broadcast = cursor.accept('broadcast') ? ({ broadcast: true } as const) : {};
      const pointer = parseExpression(cursor, scope);
      cursor.take(',');
      const value = parseExpression(cursor, scope);
      const access = parseAccess(cursor);
      return { kind: 'store', pointer, value, ...(access && { access }), ...broadcast, span: parseSpan(cursor) };
    },
  ],
  ['atomic', (cursor, scope) => parseAtomic(cursor, scope)],
  ['fence', (cursor) => ({ kind: 'fence', access: requireAccess(cursor), span: parseSpan(cursor) })],
  [
    'fenceProxy',
    (cursor) => {
      if (cursor.accept('alias')) return { kind: 'fenceProxy', proxy: 'alias', span: parseSpan(cursor) };
      cursor.take('fabric');
      const producer = parseProxy(cursor);
      const consumer = parseProxy(cursor);
      const access = requireAccess(cursor);
      return { kind: 'fenceProxy', proxy: 'fabric', producer, consumer, access, span: parseSpan(cursor) };
    },
  ],
  [
    'sync',
    (cursor, scope) => {
      const coop = parseCoop(cursor, scope);
      const barrier = cursor.accept('barrier') ? { barrier: parseBarrier(cursor, scope) } : {};
      return { kind: 'sync', coop, ...barrier, span: parseSpan(cursor) };
    },
  ],
  [
    'wait',
    (cursor, scope) => {
      const span = parseSpan(cursor);
      const body = parseBody(cursor, scope);
      cursor.take('until');
      return { kind: 'wait', body, condition: parseExpression(cursor, scope), span };
    },
  ],
  [
    'waitAll',
    (cursor, scope) => {
      const coop = parseCoop(cursor, scope);
      cursor.take('%');
      const index = parseTarget(cursor, scope);
      cursor.take('<');
      const count = parseExpression(cursor, scope);
      const span = parseSpan(cursor);
      const body = parseBody(cursor, scope);
      cursor.take('until');
      return { kind: 'waitAll', coop, count, index, body, condition: parseExpression(cursor, scope), span };
    },
  ],
  [
    'if',
    (cursor, scope) => {
      const condition = parseExpression(cursor, scope);
      const span = parseSpan(cursor);
      const then = parseBody(cursor, scope);
      return { kind: 'if', condition, then, else: cursor.accept('else') ? parseBody(cursor, scope) : [], span };
    },
  ],
  [
    'loop',
    (cursor, scope) => {
      const condition = cursor.accept('while') ? { condition: parseExpression(cursor, scope) } : {};
      const span = parseSpan(cursor);
      const body = parseBody(cursor, scope);
      return {
        kind: 'loop',
        ...condition,
        body,
        update: cursor.accept('update') ? parseBody(cursor, scope) : [],
        span,
      };
    },
  ],
  ['break', (cursor) => ({ kind: 'break', span: parseSpan(cursor) })],
  ['continue', (cursor) => ({ kind: 'continue', span: parseSpan(cursor) })],
  [
    'block',
    (cursor, scope) => {
      const label = cursor.takeCount('the label of the block');
      const span = parseSpan(cursor);
      return { kind: 'block', label, body: parseBody(cursor, scope), span };
    },
  ],
  [
    'leave',
    (cursor) => {
      const label = cursor.takeCount('the label of a block');
      return { kind: 'leave', label, span: parseSpan(cursor) };
    },
  ],
  ['return', (cursor) => ({ kind: 'return', span: parseSpan(cursor) })],
  [
    'assert',
    (cursor, scope) => {
      const condition = parseExpression(cursor, scope);
      cursor.take(',');
      return { kind: 'assert', condition, message: parseString(cursor), span: parseSpan(cursor) };
    },
  ],
  [
    'require',
    (cursor, scope) => {
      const condition = parseExpression(cursor, scope);
      cursor.take(',');
      const message = parseString(cursor);
      const values = [];
      while (cursor.accept(',')) values.push(parseExpression(cursor, scope));
      const messageValues = values.length === 0 ? {} : { values };
      return { kind: 'assert', condition, message, ...messageValues, contract: true, span: parseSpan(cursor) };
    },
  ],
  [
    'print',
    (cursor, scope) => {
      cursor.take('(');
      const args = [];
      while (!cursor.accept(')')) {
        if (args.length > 0) cursor.take(',');
        args.push(cursor.peek().kind === 'string' ? parseString(cursor) : parseExpression(cursor, scope));
      }
      return { kind: 'print', args, span: parseSpan(cursor) };
    },
  ],
  [
    'approximate',
    (cursor) => {
      const opaque = cursor.accept('opaque') ? ({ isOpaque: true } as const) : {};
      return { kind: 'approximate', how: parseString(cursor), ...opaque, span: parseSpan(cursor) };
    },
  ],
  ['call', (cursor, scope) => parseCall(cursor, scope)],
];
const statements: ReadonlyMap<string, Starting> = new Map(statementList);
