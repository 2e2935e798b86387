/** A result of one part of a run on a GPU machine, as a line of JSON. */
export type Finding = Readonly<Record<string, unknown>>;

let failed = false;

/** Prints a line of JSON. */
export function report(finding: Finding): void {
  console.log(JSON.stringify(finding, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));
}

/**
 * Does one part of a run. If it fails, the program reports that and continues: time on a machine
 * with GPUs is short, and one call must show as much as it can.
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

/** The facts about an error, including its causes. */
export function errorFinding(error: unknown): Finding {
  if (!(error instanceof Error)) return { error: String(error) };
  const code: unknown = 'code' in error ? error.code : undefined;
  const { message, stack, cause } = error;
  const at = (stack ?? '')
    .split('\n')
    .filter((line) => line.trim().startsWith('at '))
    .slice(0, 6);
  return { error: message, code, at, ...(cause === undefined ? {} : { cause: errorFinding(cause) }) };
}

/** Ends the process with 0 where all parts went well. Kernels that hang do not hold it up. */
export function finish(): never {
  report({ finished: true, ok: !failed });
  process.exit(failed ? 1 : 0);
}

function milliseconds(started: number): number {
  return Math.round((performance.now() - started) * 10) / 10;
}
