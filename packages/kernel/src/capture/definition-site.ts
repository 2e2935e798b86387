import { stackLocation } from './provided-texts.ts';

/** The stack at a `kernel(...)` call; read only when something is reported. */
export interface DefinitionSite {
  readonly stack: string | undefined;
}

interface StackCapture {
  captureStackTrace(target: object, below: unknown): void;
}

/** Records the caller of `below`. Cheap: engines format a stack only when it is read. */
export function definitionSite(below: { readonly name: string }): DefinitionSite {
  const site: { stack: string | undefined } = { stack: undefined };
  if (canCapture(Error)) Error.captureStackTrace(site, below);
  else site.stack = withoutOwnFrames(new Error().stack);
  return site;
}

/** V8 and engines that follow it have this function. */
function canCapture(error: object): error is StackCapture {
  return 'captureStackTrace' in error && typeof error.captureStackTrace === 'function';
}

/** The stack without the frames of this function's caller and of `below`. */
function withoutOwnFrames(stack: string | undefined): string | undefined {
  return stack?.split('\n').slice(2).join('\n');
}

/**
 * `at call (file:line:column)` and `at file:line:column` of V8, `call@file:line:column` of others.
 */
const frame = /^\s*at (?:async )?(?:.*\()?(?<v8>[^()]*:\d+:\d+)\)?$|^[^@]*@(?<other>.*:\d+:\d+)$/;

/**
 * `file:line:column` of the call: in a text that was provided with its URL, or else in the code
 * that ran, as the engine reports it. `undefined` if the engine does not report it.
 */
export function callLocation({ stack }: DefinitionSite): string | undefined {
  const provided = stackLocation(stack);
  if (provided !== undefined) return `${provided.file}:${provided.line}:${provided.column}`;
  for (const line of stack?.split('\n') ?? []) {
    const { v8, other } = frame.exec(line)?.groups ?? {};
    if (v8 !== undefined || other !== undefined) return v8 ?? other;
  }
  return undefined;
}
