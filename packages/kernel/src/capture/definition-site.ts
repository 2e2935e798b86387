/** The stack at a `kernel(...)` or `deviceFn(...)` call; read only when something is reported. */
export interface DefinitionSite {
  readonly stack: string | undefined;
}

interface StackCapture {
  captureStackTrace(target: object, below: unknown): void;
}

/** Remembers who called `below`. Cheap: engines format a stack only when it is read. */
export function definitionSite(below: unknown): DefinitionSite {
  const site: { stack: string | undefined } = { stack: undefined };
  if (!canCapture(Error)) return { stack: new Error().stack };
  Error.captureStackTrace(site, below);
  return site;
}

/** V8 has it, and engines that follow V8. */
function canCapture(error: object): error is StackCapture {
  return 'captureStackTrace' in error && typeof error.captureStackTrace === 'function';
}
