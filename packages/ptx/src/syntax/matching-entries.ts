import { demangle } from './demangle.ts';
import type { PtxFunction, PtxModule } from './module.ts';

/**
 * Finds the entries that match a name: those with this name, mangled or as `demangle` writes it,
 * with or without its parameters. If there is none: those with this name without namespaces and
 * template arguments, else those whose parameters are written in another way, else all whose names
 * contain it.
 *
 * A regular expression selects all entries that match it.
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
    namesOf(entry).some((one) => one === name || withoutParameters(one) === name),
  );
  if (called.length > 0) return called;
  const identified = entries.filter((entry) => identifierOf(demangle(entry.name)) === name);
  if (identified.length > 0) return identified;
  const bare = withoutParameters(name);
  const named = bare === name ? [] : entries.filter((entry) => withoutParameters(demangle(entry.name)) === bare);
  return named.length > 0 ? named : entries.filter((entry) => namesOf(entry).some((one) => one.includes(name)));
}

/** A demangled title without the list of parameters at its end. */
export function withoutParameters(title: string): string {
  if (!title.endsWith(')')) return title;
  let depth = 0;
  for (let i = title.length - 1; i >= 0; i--) {
    if (title[i] === ')') depth++;
    else if (title[i] === '(' && --depth === 0) return title.slice(0, i);
  }
  return title;
}

/** The name of a demangled function without namespaces, template arguments and parameters. */
export function identifierOf(title: string): string {
  let depth = 0;
  let name = '';
  for (const char of title) {
    if (char === '(' && depth === 0 && name !== '') break;
    if (char === '<' || char === '(') depth++;
    else if (char === '>' || char === ')') depth--;
    else if (depth === 0) name = char === ':' || char === ' ' ? '' : name + char;
  }
  return name;
}
