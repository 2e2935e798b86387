import { demangle } from './demangle.ts';
import type { PtxFunction, PtxModule } from './module.ts';

/**
 * Finds the entries that match a name. It is the entry with this name, mangled or as `demangle`
 * writes it, with or without its parameters. If there is none, it is all entries whose names
 * contain it. A regular expression selects all entries that match it.
 */
export function matchingEntries(
  { functions }: Pick<PtxModule, 'functions'>,
  name: string | RegExp,
): readonly PtxFunction[] {
  const entries = functions.filter(({ kind, body }) => kind === 'entry' && body !== undefined);
  const namesOf = (entry: PtxFunction): readonly string[] => [entry.name, demangle(entry.name)];
  if (typeof name !== 'string') {
    // A regular expression with the flag g would remember its position.
    const pattern = new RegExp(name.source, name.flags.replaceAll(/[gy]/g, ''));
    return entries.filter((entry) => namesOf(entry).some((one) => pattern.test(one)));
  }
  const called = entries.filter((entry) =>
    namesOf(entry).some((one) => one === name || one.replace(/\(.*\)$/, '') === name),
  );
  return called.length > 0 ? called : entries.filter((entry) => namesOf(entry).some((one) => one.includes(name)));
}
