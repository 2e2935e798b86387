import { readPermitted } from './read-permitted.ts';

/** Receives a finished line, without a line break. */
export type DebugSink = (line: string) => void;

export interface DebugOptions {
  /** The topics, separated by commas, or `*` for all. Overrides the environment. */
  readonly topics?: string;
  /** Receives the lines instead of `console.error`. */
  readonly sink?: DebugSink;
}

let override: DebugOptions = {};
let environment: ReadonlySet<string> | undefined;
let start: number | undefined;

/**
 * Writes a line if `topic` is enabled. `message` runs only then. NCCLTS_DEBUG enables topics: a
 * list separated by commas, or `*` for all. It is an environment variable, or a global in browsers.
 * The first call reads it. If the program may not read the environment, no topic is enabled.
 */
export function debugLog(topic: string, message: () => string): void {
  if (!debugEnabled(topic)) return;
  const now = performance.now();
  start ??= now;
  const line = `nccl-ts +${(now - start).toFixed(1)}ms [${topic}] ${message()}`;
  if (override.sink === undefined) console.error(line);
  else override.sink(line);
}

/** True if `debugLog` writes lines of `topic`. */
export function debugEnabled(topic: string): boolean {
  const topics = override.topics === undefined ? (environment ??= parse(fromEnvironment())) : parse(override.topics);
  return topics.size > 0 && (topics.has(topic) || topics.has('*'));
}

/**
 * Sets the topics and the sink for the whole process. Returns a function that restores the previous
 * setting.
 */
export function configureDebug(options: DebugOptions): () => void {
  const before = override;
  override = { ...options };
  return () => {
    override = before;
  };
}

function parse(topics: string): ReadonlySet<string> {
  return new Set(
    topics
      .split(',')
      .map((topic) => topic.trim())
      .filter((topic) => topic !== ''),
  );
}

function fromEnvironment(): string {
  const own = property(globalThis, 'NCCLTS_DEBUG');
  if (typeof own === 'string') return own;
  const value = readPermitted({ name: 'env', variable: 'NCCLTS_DEBUG' }, () =>
    property(property(property(globalThis, 'process'), 'env'), 'NCCLTS_DEBUG'),
  );
  return typeof value === 'string' ? value : '';
}

function property(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
