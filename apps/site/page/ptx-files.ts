/** The files and entries that a PTX text names. */

/** The name of the CUDA C++ file that a PTX text was compiled from, if it says so. */
export function sourceFile(ptx: string): string | undefined {
  const names = fileNames(ptx);
  return names.find((name) => name.endsWith('.cu')) ?? names[0];
}

export function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

/**
 * Equal for PTX texts of the same files with the same entries, such as a text before and after a
 * small change.
 */
export function originOf(ptx: string): string {
  return JSON.stringify([fileNames(ptx), [...ptx.matchAll(/\.entry\s+([\w$]+)/g)].map(([, name]) => name)]);
}

/** The line of the first entry, from 1. A text of a compiler may begin with debug data. */
export function entryLine(ptx: string): number | undefined {
  const at = ptx.search(/\.entry\s/);
  return at === -1 ? undefined : ptx.slice(0, at).split('\n').length;
}

/** The first line of the text that a line of a source file was compiled to, from 1. */
export function lineOfLocation(ptx: string, file: string, line: number): number | undefined {
  const numbers = [...ptx.matchAll(/^\s*\.file\s+(\d+)\s+"([^"]+)"/gm)].flatMap(([, number, path = '']) =>
    baseName(path) === baseName(file) ? [number] : [],
  );
  const found = ptx.split('\n').findIndex((text) => {
    const [, number, at] = /^\s*\.loc\s+(\d+)\s+(\d+)\b/.exec(text) ?? [];
    return numbers.includes(number) && Number(at) === line;
  });
  // The instruction stands after the directive.
  return found === -1 ? undefined : found + 2;
}

function fileNames(ptx: string): readonly string[] {
  return [...ptx.matchAll(/^\s*\.file\s+\d+\s+"([^"]+)"/gm)].map(([, path = '']) => baseName(path));
}
