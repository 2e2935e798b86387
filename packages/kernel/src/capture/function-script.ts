import { offsetAt } from '@nccl-ts/ir';
import type { BodyFunction } from '../author/device-fn.ts';
import { takeCaptured } from './captured-bodies.ts';
import { memberOf, nodeInspector, type Inspector, type InspectorSession } from './node-builtins.ts';

/** A source text that the engine compiled. */
export interface Script {
  /** The URL of the file that ran; empty if the text was never in a file. */
  readonly url: string;
  /** The URL in the script's last line; empty if there is none. */
  readonly sourceMapUrl: string;
  readonly text: string;
  /**
   * The 0-based position of the script in its file. It is not 0 if the script is part of a larger
   * file.
   */
  readonly firstLine: number;
  readonly firstColumn: number;
}

/** The script that a function was compiled from, and where in it the function's text begins. */
export interface FunctionScript {
  readonly script: Script;
  /** The offset of the function's text. */
  readonly start: number;
}

/**
 * The scripts that were read, the latest used at the end, by the engine's unique ids. The cache
 * helps because the engine lists all scripts to describe one. Reports often concern several
 * functions and files.
 */
const known = new Map<string, Script>();
/** The number of characters in them. */
let knownLength = 0;
const mostLength = 2 ** 26;
/** A longer script is read only if a report needs it. */
const mostOfOne = 2 ** 20;

/**
 * Asks the engine for the script that contains the function. The call is slow. It leaves no
 * debugger enabled, and does not disturb an attached one.
 *
 * @throws the engine's error, for example if the process may not inspect itself.
 */
export function functionScript(body: BodyFunction, text: string): FunctionScript | undefined {
  const inspector = nodeInspector();
  if (inspector === undefined) return undefined;
  const session = new inspector.Session();
  session.connect();
  try {
    const place = functionLocation(inspector, session, body);
    const scriptId = memberOf(place, 'scriptId');
    if (typeof scriptId !== 'string') return undefined;
    const script = knownScript(inspector, session, scriptId);
    const line = numberOf(memberOf(place, 'lineNumber'));
    const column = numberOf(memberOf(place, 'columnNumber'));
    if (script === undefined || line === undefined || column === undefined) return undefined;
    const row = line - script.firstLine;
    const at = offsetAt(script.text, row + 1, (row === 0 ? column - script.firstColumn : column) + 1);
    const start = at === undefined ? -1 : script.text.lastIndexOf(text, at);
    // The engine reports the position of the parameters. The text begins there, or earlier at a
    // name or at `function`.
    if (at === undefined || start === -1 || start + text.length <= at) return undefined;
    return { script, start };
  } finally {
    // This also releases everything that the session enabled or holds.
    session.disconnect();
  }
}

/** The location of the function, as the engine reports it. */
function functionLocation(inspector: Inspector, session: InspectorSession, body: BodyFunction): unknown {
  // The module is one object for all contexts of a thread, other than `globalThis`.
  const key = Symbol.for('@nccl-ts/kernel: function to be located');
  if (!Reflect.set(inspector, key, body)) return undefined;
  try {
    const expression = `process.getBuiltinModule('node:inspector')[Symbol.for(${JSON.stringify(key.description)})]`;
    const evaluated = post(session, 'Runtime.evaluate', { expression, silent: true });
    const objectId = memberOf(memberOf(evaluated, 'result'), 'objectId');
    const properties = post(session, 'Runtime.getProperties', { objectId, ownProperties: true });
    const internal = memberOf(properties, 'internalProperties');
    if (!Array.isArray(internal)) return undefined;
    const found: unknown = internal.find((property: unknown) => memberOf(property, 'name') === '[[FunctionLocation]]');
    return memberOf(memberOf(found, 'value'), 'value');
  } finally {
    Reflect.deleteProperty(inspector, key);
  }
}

function knownScript(inspector: Inspector, session: InspectorSession, scriptId: string): Script | undefined {
  if (!known.has(scriptId)) readScripts(inspector, session, scriptId);
  const script = known.get(scriptId);
  if (script === undefined) return undefined;
  known.delete(scriptId);
  known.set(scriptId, script);
  for (const [oldest, old] of known) {
    if (knownLength <= mostLength || oldest === scriptId) break;
    known.delete(oldest);
    knownLength -= lengthOf(old);
  }
  return script;
}

function lengthOf({ text, sourceMapUrl }: Script): number {
  return text.length + sourceMapUrl.length;
}

/**
 * Reads the script, the scripts of all functions captured so far, and those of the author's files.
 * The engine takes long to announce all its scripts, and the next report is likely to need one of
 * these.
 */
function readScripts(inspector: Inspector, session: InspectorSession, scriptId: string): void {
  const announced = new Map<unknown, unknown>();
  // Enabling the debugger announces all scripts there are, before it returns.
  session.on('Debugger.scriptParsed', (message) => {
    const params = memberOf(message, 'params');
    announced.set(memberOf(params, 'scriptId'), params);
  });
  post(session, 'Debugger.enable', {});
  try {
    const others = takeCaptured().map((body) => memberOf(functionLocation(inspector, session, body), 'scriptId'));
    const own = [...announced].flatMap(([id, params]) => (isAuthors(params) ? [id] : []));
    for (const id of new Set([...own, ...others, scriptId])) {
      if (typeof id !== 'string' || known.has(id)) continue;
      const script = scriptOf(session, id, announced.get(id));
      if (script === undefined) continue;
      known.set(id, script);
      knownLength += lengthOf(script);
    }
  } finally {
    post(session, 'Debugger.disable', {});
  }
}

/** True for a file outside `node_modules`, unless it is so large that reading it takes long. */
function isAuthors(announced: unknown): boolean {
  const url = stringOf(memberOf(announced, 'url'));
  const length = numberOf(memberOf(announced, 'length'));
  return url.startsWith('file:') && !url.includes('/node_modules/') && length !== undefined && length < mostOfOne;
}

function scriptOf(session: InspectorSession, scriptId: string, announced: unknown): Script | undefined {
  const text = memberOf(post(session, 'Debugger.getScriptSource', { scriptId }), 'scriptSource');
  const firstLine = numberOf(memberOf(announced, 'startLine'));
  const firstColumn = numberOf(memberOf(announced, 'startColumn'));
  // If it is unknown where the script begins in its file, its positions would point to wrong lines.
  if (typeof text !== 'string' || firstLine === undefined || firstColumn === undefined) return undefined;
  return {
    url: stringOf(memberOf(announced, 'url')),
    sourceMapUrl: stringOf(memberOf(announced, 'sourceMapURL')),
    text,
    firstLine,
    firstColumn,
  };
}

function post(session: InspectorSession, method: string, params: object): unknown {
  let answer: unknown;
  session.post(method, params, (_error, result) => {
    answer = result;
  });
  return answer;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
