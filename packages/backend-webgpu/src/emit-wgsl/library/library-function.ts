/** A piece of WGSL that generated code calls by its name, which is unique. */
export interface LibraryFunction {
  readonly name: string;
  readonly text: string;
  /** The library functions that the text uses. */
  readonly needs: readonly LibraryFunction[];
}

/**
 * Returns the WGSL text of `functions` and their dependencies, each once, after its own
 * dependencies.
 */
export function libraryText(functions: Iterable<LibraryFunction>): string {
  const done = new Set<string>();
  const texts: string[] = [];
  const add = (fn: LibraryFunction): void => {
    if (done.has(fn.name)) return;
    done.add(fn.name);
    fn.needs.forEach(add);
    texts.push(`${fn.text.trim()}\n`);
  };
  for (const fn of functions) add(fn);
  return texts.join('\n');
}
