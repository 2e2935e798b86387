import { UsageError } from '../usage-error.ts';

/** Checks that options which do not apply are absent. */
export function expectAbsent(options: Readonly<Record<string, unknown>>, because: string, what: string): void {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined) throw new UsageError(`${because} --${name} is for ${what}`);
}
