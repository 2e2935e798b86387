import type { Captures } from './captures.ts';
import type { LibraryCaptures } from './library/library-captures.ts';

/**
 * Describes the differences that a pipeline causes in the matrix's kernels. Empty if there are
 * none.
 */
export function differences(wanted: Captures, got: Captures): readonly string[] {
  return [
    ...between('is another kernel', wanted.ir, got.ir),
    ...between('leaves other bytes', wanted.bytes, got.bytes),
  ];
}

/**
 * Kernels whose normal forms differ although they are equivalent. Minifiers join stores and ends of
 * sessions that occur in both arms of a branch, and turn nested branches into conditions. The
 * conformance suite runs each of these kernels.
 */
const otherForms = [
  /^allReduce\/sentinel\//,
  /^barriers\/sessions\/(early-return|leaving-loops)#/,
  /^language\/(changing-conditions|returns-from-loops)#/,
  /^ll-a2a\/reducing\//,
];

/** The same of the library's kernels. */
export function libraryDifferences(wanted: LibraryCaptures, got: LibraryCaptures): readonly string[] {
  // The build may affect if a form is small enough to be included.
  const comparable = (name: string): boolean =>
    !otherForms.some((pattern) => pattern.test(name)) &&
    [wanted, got].every((all) => all[name]?.endsWith('\n') === false);
  const plain = (all: LibraryCaptures): LibraryCaptures =>
    Object.fromEntries(Object.entries(all).map(([name, text]) => [name, comparable(name) ? text : firstLine(text)]));
  return between('is another kernel', plain(wanted), plain(got));
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

function between(
  what: string,
  wanted: Readonly<Record<string, string>>,
  got: Readonly<Record<string, string>>,
): readonly string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(got)]);
  return [...names].flatMap((name) => {
    const [before, after] = [wanted[name], got[name]];
    if (before === after) return [];
    const [a = [], b = []] = [before, after].map((text) => (text ?? 'missing').split('\n'));
    const at = a.findIndex((line, i) => line !== b[i]);
    return [
      `${name} ${what}: line ${at + 1} is ${JSON.stringify(b[at] ?? '')} instead of ${JSON.stringify(a[at] ?? '')}`,
    ];
  });
}
