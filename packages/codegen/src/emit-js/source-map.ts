import { lineAt, type Module, type Span } from '@nccl-ts/ir';

/** Returns a mark that follows the first line of a statement's code, until the text is complete. */
export function positionMark(index: number): string {
  return `/*@${index}*/`;
}

const marks = /\/\*@(\d+)\*\//g;
/** Matches the variable of a local, as `localName` writes it. */
const variables = /\bv(\d+)(?:_\w+)?\b/g;
/** `new Function` adds two lines before the text. */
const LINES_BEFORE = 2;

/** The position of a statement in its author's file, counted from 0 as in source maps. */
interface SourcePosition {
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the text without its marks, and with a source map, by which debuggers find the kernel's
 * own lines and variable names. `places` are the spans of the marks.
 *
 * The lines after a marked one belong to the same statement, up to the next mark or the end of the
 * function. If an author's file is unknown, as in a browser, the map contains the captured text
 * instead.
 *
 * @see https://tc39.es/ecma426/
 */
export function withSourceMap(text: string, module: Module, spans: readonly Span[], url: string): string {
  const sources: string[] = [];
  const sourcesContent: (string | null)[] = [];
  const names: string[] = [];
  const located = spans.map((span) => positionOf(module, span, sources, sourcesContent));
  const mappings = new Mappings();
  for (let i = 0; i < LINES_BEFORE; i++) mappings.endLine();
  const marked = text.split('\n');
  const placed = positionsOfLines(marked, located);
  const lines = marked.map((whole, i) => {
    const line = whole.replace(marks, '');
    const position = placed[i];
    if (position !== undefined && /\w/.test(line)) {
      mappings.add(line.search(/\S/), position);
      for (const found of line.matchAll(variables)) {
        const name = module.locals[Number(found[1])]?.name;
        if (name !== undefined && name !== '') mappings.add(found.index, position, indexIn(names, name));
      }
    }
    mappings.endLine();
    return line;
  });
  if (sources.length === 0) return lines.join('\n');
  const map = JSON.stringify({ version: 3, sources, sourcesContent, names, mappings: mappings.text });
  const comment = (what: string, value: string): string => `//# ${what}=${value}`;
  return [
    ...lines,
    comment('sourceURL', url),
    comment('sourceMappingURL', `data:application/json;charset=utf-8;base64,${base64(map)}`),
  ].join('\n');
}

/**
 * Lines after a mark belong to it, to the end of the function. Variables that are declared before
 * the first mark belong to the first mark.
 */
function positionsOfLines(
  marked: readonly string[],
  located: readonly (SourcePosition | undefined)[],
): readonly (SourcePosition | undefined)[] {
  const positions: (SourcePosition | undefined)[] = [];
  let current: SourcePosition | undefined;
  let declared: number[] = [];
  marked.forEach((line, i) => {
    if (/^\s*function /.test(line)) [current, declared] = [undefined, []];
    for (const [, index] of line.matchAll(marks)) current = located[Number(index)] ?? current;
    positions.push(current);
    if (current === undefined) {
      if (/^\s*(?:let|const) v\d/.test(line)) declared.push(i);
      return;
    }
    for (const before of declared) positions[before] = current;
    declared = [];
  });
  return positions;
}

/** Returns the position in the text of a device function, for a statement of that function. */
function positionOf(
  module: Module,
  span: Span,
  sources: string[],
  contents: (string | null)[],
): SourcePosition | undefined {
  const source = module.sources[span.source];
  if (source === undefined) return undefined;
  const at = source.locate?.(span.start);
  const { line, column } = at ?? lineAt(source.text, span.start);
  const index = indexIn(sources, at === undefined ? `nccl-ts:///${encodeURI(source.name)}` : urlOf(at.file));
  contents[index] ??= at === undefined ? source.text : null;
  return { source: index, line: line - 1, column: column - 1 };
}

/** Converts paths of files to URLs. URLs are returned unchanged. */
function urlOf(file: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(file) && !/^[a-z]:[\\/]/i.test(file)) return file;
  const path = file.replaceAll('\\', '/');
  return encodeURI(path.startsWith('/') ? `file://${path}` : /^[a-z]:/i.test(path) ? `file:///${path}` : path);
}

function indexIn(list: string[], value: string): number {
  const known = list.indexOf(value);
  return known === -1 ? list.push(value) - 1 : known;
}

/** The segments of a source map. Each is written as the difference from the previous one. */
class Mappings {
  text = '';
  #column = 0;
  #position: SourcePosition = { source: 0, line: 0, column: 0 };
  #name = 0;
  #isFirst = true;

  add(column: number, position: SourcePosition, name?: number): void {
    const before = this.#position;
    const fields = [
      column - this.#column,
      position.source - before.source,
      position.line - before.line,
      position.column - before.column,
      ...(name === undefined ? [] : [name - this.#name]),
    ];
    this.text += (this.#isFirst ? '' : ',') + fields.map(vlq).join('');
    this.#isFirst = false;
    this.#column = column;
    this.#position = position;
    this.#name = name ?? this.#name;
  }

  endLine(): void {
    this.text += ';';
    this.#column = 0;
    this.#isFirst = true;
  }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes five bits in each digit, lowest first. The lowest bit of all is the sign. */
function vlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const low = rest & 31;
    rest >>>= 5;
    text += digits[rest === 0 ? low : low | 32] ?? '';
  } while (rest !== 0);
  return text;
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(i, i + 3);
    const bits = (a << 16) | (b << 8) | c;
    for (let k = 0; k < 4; k++) {
      const isPadding = i + k > bytes.length;
      out += isPadding ? '=' : (digits[(bits >> (18 - 6 * k)) & 63] ?? '');
    }
  }
  return out;
}
