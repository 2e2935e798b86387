import { JsonValue } from './json-value.ts';
import { tableMakers } from './table-makers.ts';

/** Reads a file, by its path from the root of the repository. */
export type ReadFile = (path: string) => string;

/**
 * `<!-- figures: MAKER FILE -->`, a table, `<!-- end of figures -->`; with several files, the rows
 * of all.
 */
const marked = /<!-- figures: (\S+) (\S+(?: \S+)*) -->\n([\s\S]*?)<!-- end of figures -->/g;

/** A pattern for a measured time or rate. */
const measuredUnit = /\d ?(?:ns|us|µs|ms|s|GB\/s|GiB\/s|minutes)\b/;
/** A pattern for ratios, which have two decimals. Version numbers may match too. */
const ratio = /(?<![\d.])\d+\.\d{2}(?![\d.])/g;
const SEVERAL = 3;

/** Returns the README with each of its tables made from its files. */
export function withTables(readme: string, read: ReadFile): string {
  return readme.replaceAll(marked, (_whole: string, maker: string, files: string) => {
    const lines = tableOf(maker, files.split(' '), read);
    return `<!-- figures: ${maker} ${files} -->\n\n${lines.join('\n')}\n\n<!-- end of figures -->`;
  });
}

function tableOf(maker: string, files: readonly string[], read: ReadFile): readonly string[] {
  const make = tableMakers[maker];
  if (make === undefined) throw new RangeError(`no table is called ${maker}: ${Object.keys(tableMakers).join(', ')}`);
  const tables = files.map((file) => make(new JsonValue(JSON.parse(read(file)), file), file));
  // The header rows are the same.
  return [...(tables[0]?.slice(0, 2) ?? []), ...tables.flatMap((lines) => lines.slice(2))];
}

/** The first lines of tables that have figures and are outside the marks. */
export function unsourcedTables(readme: string): readonly string[] {
  const rest = readme.replaceAll(marked, '').replaceAll(/^```[\s\S]*?^```/gm, '');
  const tables = rest.match(/(?:^\|.*\n?)+/gm) ?? [];
  return tables.filter((table) => hasFigures(table)).map((table) => table.split('\n')[0] ?? '');
}

function hasFigures(table: string): boolean {
  return measuredUnit.test(table) || (table.match(ratio) ?? []).length >= SEVERAL;
}

/** Claims about speed or sameness that cannot be checked where they are. */
const claims =
  /as fast as (?:NCCL|CUDA)|same bits as (?:CUDA|NCCL|GPUs|on GPUs)|100 ?%|times (?:as fast|faster|slower)|\d ?% (?:less|more|faster|slower)|half the time|(?:third|quarter) less time/g;

/** The comments of TypeScript, line by line. */
const comments = /^\s*(?:\/\*\*?|\*|\/\/).*$/gm;

/** The claims in the comments of a source. */
export function unsourcedClaimsOfComments(source: string): readonly string[] {
  return (source.match(comments) ?? []).flatMap((line) => unsourcedClaims(line));
}

/** The claims of a text outside tables that are generated from files. */
export function unsourcedClaims(text: string): readonly string[] {
  return text.replaceAll(marked, '').match(claims) ?? [];
}
