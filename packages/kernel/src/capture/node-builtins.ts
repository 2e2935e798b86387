/** The part of `node:inspector` that reading positions uses. */
export interface Inspector {
  readonly Session: new () => InspectorSession;
}

export interface InspectorSession {
  connect(): void;
  disconnect(): void;
  on(event: 'Debugger.scriptParsed', listener: (message: unknown) => void): unknown;
  /** Within one thread the callback runs before `post` returns. */
  post(method: string, params: object, answer: (error: unknown, result: unknown) => void): void;
}

/** The part of `node:fs`, `node:url` and `node:module` that reading positions uses. */
export interface NodeFiles {
  readonly readFileSync: (path: string, encoding: 'utf8') => string;
  readonly fileURLToPath: (url: string) => string;
  readonly SourceMap: new (payload: object) => { findEntry(line: number, column: number): unknown };
}

/** `undefined` outside Node, and if Node was built without the module. */
export function nodeInspector(): Inspector | undefined {
  const inspector = builtinModule('node:inspector');
  return isInspector(inspector) ? inspector : undefined;
}

export function nodeFiles(): NodeFiles | undefined {
  const files = {
    readFileSync: memberOf(builtinModule('node:fs'), 'readFileSync'),
    fileURLToPath: memberOf(builtinModule('node:url'), 'fileURLToPath'),
    SourceMap: memberOf(builtinModule('node:module'), 'SourceMap'),
  };
  return isNodeFiles(files) ? files : undefined;
}

/** Loads a built-in module of Node. An import would tie this package to Node. */
function builtinModule(name: string): unknown {
  const process = memberOf(globalThis, 'process');
  return hasBuiltinModules(process) ? process.getBuiltinModule(name) : undefined;
}

/** Returns a member of any value, or `undefined` if the value has no such member. */
export function memberOf(of: unknown, name: string | symbol): unknown {
  return (typeof of === 'object' && of !== null) || typeof of === 'function' ? Reflect.get(of, name) : undefined;
}

function hasBuiltinModules(process: unknown): process is { getBuiltinModule(name: string): unknown } {
  return typeof memberOf(process, 'getBuiltinModule') === 'function';
}

function isInspector(value: unknown): value is Inspector {
  return typeof memberOf(value, 'Session') === 'function';
}

function isNodeFiles(value: Readonly<Record<keyof NodeFiles, unknown>>): value is NodeFiles {
  return Object.values(value).every((member) => typeof member === 'function');
}
