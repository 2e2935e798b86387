import { demangle } from './demangle.ts';
import type { PtxFunction, PtxModule } from './module.ts';

/**
 * The entries that match a name: the one with this name, mangled or as `demangle` writes it, with
 * or without its parameters. If there is none, all whose names contain it. A pattern selects all
 * entries that match it.
 */
export function matchingEntries(
  { functions }: Pick<PtxModule, 'functions'>,
  name: string | RegExp,
): readonly PtxFunction[] {
  const entries = functions.filter(({ kind, body }) => kind === 'entry' && body !== undefined);
  const namesOf = (entry: PtxFunction): readonly string[] => [entry.name, demangle(entry.name)];
  if (typeof name !== 'string') {
    // A pattern with the flag g would remember where it was.
    const pattern = new RegExp(name.source, name.flags.replaceAll(/[gy]/g, ''));
    return entries.filter((entry) => namesOf(entry).some((one) => pattern.test(one)));
  }
  const called = entries.filter((entry) =>
    namesOf(entry).some((one) => one === name || one.replace(/\(.*\)$/, '') === name),
  );
  return called.length > 0 ? called : entries.filter((entry) => namesOf(entry).some((one) => one.includes(name)));
}
