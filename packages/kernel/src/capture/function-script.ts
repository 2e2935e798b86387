import type { BodyFunction } from '../device-fn.ts';
import { memberOf, nodeInspector, type Inspector, type InspectorSession } from './node-builtins.ts';

/** The script that a function was compiled from, and where in it the function's text begins. */
export interface FunctionScript {
  /** Of the file that ran; empty where the text was never in a file. */
  readonly url: string;
  /** As its last line says; empty where it has none. */
  readonly sourceMapUrl: string;
  readonly text: string;
  /** The offset of the function's text. */
  readonly start: number;
  /** 0-based: what the script's first line and column count as, where it was compiled as part of something larger. */
  readonly firstLine: number;
  readonly firstColumn: number;
}

/**
 * Asks the engine where the function stands. Slow; leaves no debugger enabled, and does not disturb one that is attached.
 *
 * @throws whatever the engine throws, such as for a process that may not inspect itself.
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
    const script = scriptInfo(session, scriptId);
    const scriptText = memberOf(script.source, 'scriptSource');
    if (typeof scriptText !== 'string') return undefined;
    const firstLine = numberOf(memberOf(script.parsed, 'startLine')) ?? 0;
    const firstColumn = numberOf(memberOf(script.parsed, 'startColumn')) ?? 0;
    const line = numberOf(memberOf(place, 'lineNumber'));
    const column = numberOf(memberOf(place, 'columnNumber'));
    if (line === undefined || column === undefined) return undefined;
    const row = line - firstLine;
    const at = offsetOf(scriptText, row, row === 0 ? column - firstColumn : column);
    const start = at === undefined ? -1 : scriptText.lastIndexOf(text, at);
    // The engine's position is that of the parameters: the text begins there or at a name or `function` before.
    if (at === undefined || start === -1 || start + text.length <= at) return undefined;
    return {
      url: stringOf(memberOf(script.parsed, 'url')),
      sourceMapUrl: stringOf(memberOf(script.parsed, 'sourceMapURL')),
      text: scriptText,
      start,
      firstLine,
      firstColumn,
    };
  } finally {
    // Takes everything along that the session enabled or holds.
    session.disconnect();
  }
}

/** Where the engine says that the function stands. */
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

function scriptInfo(
  session: InspectorSession,
  scriptId: string,
): { readonly parsed: unknown; readonly source: unknown } {
  let parsed: unknown;
  // Enabling the debugger announces all scripts there are, before it returns.
  session.on('Debugger.scriptParsed', (message) => {
    const params = memberOf(message, 'params');
    if (memberOf(params, 'scriptId') === scriptId) parsed = params;
  });
  post(session, 'Debugger.enable', {});
  try {
    return { parsed, source: post(session, 'Debugger.getScriptSource', { scriptId }) };
  } finally {
    post(session, 'Debugger.disable', {});
  }
}

function post(session: InspectorSession, method: string, params: object): unknown {
  let answer: unknown;
  session.post(method, params, (_error, result) => {
    answer = result;
  });
  return answer;
}

/** The offset of a 0-based line and column; `undefined` where the text has no such line. */
function offsetOf(text: string, line: number, column: number): number | undefined {
  let start = 0;
  for (let row = 0; row < line; row++) {
    const next = text.indexOf('\n', start);
    if (next === -1) return undefined;
    start = next + 1;
  }
  return start + column;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
