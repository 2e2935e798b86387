/** A result of a part of a run on a GPU machine, as a line of JSON. */
export type PhaseResult = Readonly<Record<string, unknown>>;

let failed = false;

/** Prints a line of JSON. */
export function report(finding: PhaseResult): void {
  console.log(JSON.stringify(finding, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));
}

/**
 * Runs a part. If it fails, the program reports that and continues, because time on a machine with
 * GPUs is short.
 */
export async function phase<T>(name: string, action: () => Promise<T> | T): Promise<T | undefined> {
  const started = performance.now();
  try {
    const result = await action();
    report({ phase: name, ok: true, ms: milliseconds(started) });
    return result;
  } catch (error) {
    failed = true;
    report({ phase: name, ok: false, ms: milliseconds(started), ...errorFinding(error) });
    return undefined;
  }
}

/** The details of an error, including its causes. */
export function errorFinding(error: unknown): PhaseResult {
  if (!(error instanceof Error)) return { error: String(error) };
  const code: unknown = 'code' in error ? error.code : undefined;
  const { message, stack, cause } = error;
  const at = (stack ?? '')
    .split('\n')
    .filter((line) => line.trim().startsWith('at '))
    .slice(0, 6);
  return { error: message, code, at, ...(cause === undefined ? {} : { cause: errorFinding(cause) }) };
}

/** Ends the process, with 0 if all parts succeeded. Kernels that hang do not delay it. */
export function finish(): never {
  report({ finished: true, ok: !failed });
  process.exit(failed ? 1 : 0);
}

function milliseconds(started: number): number {
  return Math.round((performance.now() - started) * 10) / 10;
}
