import type { ArrayDeclaration, ClusterSize, Local, Module, Param } from '../module.ts';
import type { Source } from '../span.ts';
import { Cursor } from './cursor.ts';
import { parseBody } from './parse-statement.ts';
import { parseName, parseSpan, parseString, parseType, parseValueType } from './parse-words.ts';

/**
 * Parses the text of a module that `printModule` returned. Sources have no `locate`, and absent
 * spans become empty ones. Only the form is checked, so the result may still fail `validate`.
 *
 * Throws `NCCL_INVALID_ARGUMENT`, with line and column, if the text is malformed.
 */
export function parseModule(text: string): Module {
  const cursor = new Cursor(text);
  cursor.take('kernel');
  const name = parseName(cursor);
  const apiVersion = cursor.accept('apiVersion') ? cursor.takeCount('the version of the device API') : undefined;
  const cluster = cursor.accept('cluster') ? parseCluster(cursor) : undefined;
  const sources = parseDeclarations(cursor, 'source', '', parseSource);
  const params = parseDeclarations(cursor, 'param', '$', parseParam);
  const arrays = parseDeclarations(cursor, 'array', '#', parseArray);
  const locals = parseDeclarations(cursor, 'local', '%', parseLocal);
  const body = parseBody(cursor, { params, arrays, locals, args: [] });
  cursor.takeKind('end', 'the end of the text');
  const version = apiVersion === undefined ? {} : { apiVersion };
  const clusters = cluster === undefined ? {} : { cluster };
  return Object.freeze({ name, ...version, ...clusters, params, locals, arrays, body, sources });
}

function parseCluster(cursor: Cursor): ClusterSize {
  const [x, y, z] = (['x', 'y', 'z'] as const).map((axis) => cursor.takeCount(`the CTAs of a cluster along ${axis}`));
  return Object.freeze({ x: x ?? 1, y: y ?? 1, z: z ?? 1 });
}

function parseDeclarations<T extends object>(
  cursor: Cursor,
  word: string,
  sigil: string,
  parse: (cursor: Cursor) => T,
): readonly T[] {
  const list: T[] = [];
  while (cursor.accept(word)) {
    if (sigil !== '') cursor.take(sigil);
    const problem = cursor.unexpected(`${list.length}, the number of this ${word}`);
    if (cursor.takeCount(`the number of the ${word}`) !== list.length) throw problem;
    list.push(Object.freeze(parse(cursor)));
  }
  return Object.freeze(list);
}

function parseSource(cursor: Cursor): Source {
  const name = parseName(cursor);
  cursor.take('=');
  return { name, text: parseString(cursor) };
}

function parseParam(cursor: Cursor): Param {
  const name = parseName(cursor);
  cursor.take(':');
  return { name, type: parseType(cursor) };
}

function parseArray(cursor: Cursor): ArrayDeclaration {
  const name = parseName(cursor);
  cursor.take(':');
  const space = cursor.takeKey({ shared: true, local: true }, '"shared" or "local"');
  const element = parseValueType(cursor);
  cursor.take('[');
  const length = cursor.takeCount('the length of the array');
  cursor.take(']');
  return { name, space, element, length, span: parseSpan(cursor) };
}

function parseLocal(cursor: Cursor): Local {
  const name = parseName(cursor);
  cursor.take(':');
  return { name, type: parseType(cursor), span: parseSpan(cursor) };
}
