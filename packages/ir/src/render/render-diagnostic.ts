import type { Diagnostic, Label, Severity } from '../diagnostic.ts';
import { quoteOf } from '../quote.ts';
import { lineAt, type Source } from '../span.ts';
import { paint, type Style } from './canvas.ts';
import { safeText } from './line-text.ts';
import { snippetsOf, type Mark } from './snippet.ts';

/** How diagnostics are shown. */
export interface RenderOptions {
  /** Whether to set it off with ANSI colours. @default false */
  readonly colour?: boolean;
}

/** No source line goes past this column. */
const maxWidth = 110;

const severityStyles: Readonly<Record<Severity, Style>> = { error: 'error', warning: 'warning' };

/**
 * The diagnostic as people read it: message, place, the source lines with what is said of them, notes, hint. `sources` are
 * those of the module the spans come from. Places and lines are the author's where a source can tell them, else those of
 * the captured text. The text is for people and may change; it has no line break at its end.
 */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  sources: readonly Source[],
  options: RenderOptions = {},
): string {
  const colour = options.colour ?? false;
  const style = severityStyles[diagnostic.severity];
  const head = paint(`${diagnostic.severity}[${diagnostic.code}]`, style, colour);
  const lines = [head + paint(`: ${safeText(diagnostic.message)}`, 'strong', colour)];
  const groups = groupLabels([...diagnostic.labels, ...callLabels(diagnostic.labels)], sources);
  const numbers = groups.flatMap((group) => group.lines.map((line) => line.number));
  const gutter = Math.max(1, ...numbers.map((number) => String(number).length));
  groups.forEach((group, index) => lines.push(...renderGroup(group, index === 0, gutter, style, colour)));
  const tail = [
    ...diagnostic.labels
      .filter(({ span, text }) => text !== '' && sources[span.source] === undefined)
      .map(({ text }) => ({ word: 'note', text })),
    ...diagnostic.notes.map((text) => ({ word: 'note', text })),
    ...(diagnostic.hint === undefined ? [] : [{ word: 'help', text: diagnostic.hint }]),
  ];
  if (groups.length > 0 && tail.length > 0) lines.push(paint(`${' '.repeat(gutter)} |`, 'gutter', colour));
  for (const { word, text } of tail) lines.push(...renderTail(word, text, gutter, colour));
  return lines.join('\n');
}

/** Places of further diagnostics of one kind that are named; beyond, they are counted. */
const mostPlaces = 6;

/** The diagnostics one after the other, with an empty line between two. Of those that say the same, the first, with the places of the others. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: readonly Source[],
  options: RenderOptions = {},
): string {
  return alikeDiagnostics(diagnostics)
    .map(([first, ...others]) => renderDiagnostic(withPlaces(first, others, sources), sources, options))
    .join('\n\n');
}

/** Diagnostics in groups that say the same of different places, in the order of the first of each. */
export function alikeDiagnostics(
  diagnostics: readonly Diagnostic[],
): readonly (readonly [Diagnostic, ...Diagnostic[]])[] {
  const groups = new Map<string, [Diagnostic, ...Diagnostic[]]>();
  for (const diagnostic of diagnostics) {
    const key = `${diagnostic.severity} ${diagnostic.code} ${diagnostic.message}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [diagnostic]);
    else group.push(diagnostic);
  }
  return [...groups.values()];
}

function withPlaces(first: Diagnostic, others: readonly Diagnostic[], sources: readonly Source[]): Diagnostic {
  if (others.length === 0) return first;
  const home = first.labels[0]?.span.source;
  const places = new Set(others.flatMap(({ labels: [label] }) => (label ? placeText(label, sources, home) : [])));
  const named = [...places].slice(0, mostPlaces).join(', ');
  const more = places.size > mostPlaces ? ', ...' : '';
  const where = named === '' ? '' : `, at ${named}${more}`;
  return { ...first, notes: [...first.notes, `and ${others.length} more like it${where}`] };
}

/** `4:10`, and with the file or text in which it is where that is not `home`. */
function placeText({ span }: Label, sources: readonly Source[], home: number | undefined): readonly string[] {
  const source = sources[span.source];
  if (source === undefined) return [];
  const location = source.locate?.(span.start);
  const { line, column } = location ?? lineAt(source.text, span.start);
  const text = span.source === home ? '' : `${location?.file ?? source.name}:`;
  return [`${text}${line}:${column}`];
}

/** For places in inlined text: the calls through which it got there, each once. */
function callLabels(labels: readonly Label[]): readonly Label[] {
  const calls = new Map<string, Label>();
  for (const label of labels) {
    for (let at = label.span.inlinedAt; at !== undefined; at = at.inlinedAt) {
      calls.set(`${at.source}:${at.start}-${at.end}`, { span: at, text: 'called here' });
    }
  }
  return [...calls.values()];
}

/** The labels in one line of a source. */
interface LabelledLine {
  /** Its number as shown: that of the author's file where it is known. */
  readonly number: number;
  /** Its number in the text that is quoted. */
  readonly row: number;
  readonly text: string;
  readonly marks: Mark[];
}

/** The labels in one source, or where its text came from several files, those in one of them. */
interface Group {
  /** The first label's place. */
  readonly place: string;
  readonly lines: LabelledLine[];
}

function groupLabels(labels: readonly Label[], sources: readonly Source[]): readonly Group[] {
  const groups = new Map<string, Group>();
  labels.forEach((label, index) => {
    const source = sources[label.span.source];
    if (source === undefined) return;
    const quote = quoteOf(source, label.span);
    const captured = lineAt(source.text, label.span.start);
    const { location } = quote;
    const row = quote.from === 'author' ? quote.line : captured.line;
    const key = `${sources.indexOf(source)}:${quote.from === 'author' ? (location?.file ?? '') : ''}`;
    let group = groups.get(key);
    if (group === undefined) {
      const place =
        location === undefined
          ? `kernel ${source.name} (captured text):${captured.line}:${captured.column}`
          : `${location.file}:${location.line}:${location.column}`;
      group = { place: safeText(place), lines: [] };
      groups.set(key, group);
    }
    const mark: Mark = { start: quote.start, end: quote.end, text: label.text, primary: index === 0 };
    const known = group.lines.find((other) => other.row === row);
    if (known === undefined) group.lines.push({ number: quote.line, row, text: quote.text, marks: [mark] });
    else known.marks.push(mark);
  });
  for (const { lines } of groups.values()) lines.sort((a, b) => a.row - b.row);
  return [...groups.values()];
}

function renderGroup(group: Group, first: boolean, gutter: number, style: Style, colour: boolean): readonly string[] {
  const empty = paint(`${' '.repeat(gutter)} |`, 'gutter', colour);
  const arrow = paint(`${' '.repeat(gutter)}${first ? '-->' : ':::'}`, 'gutter', colour);
  const lines = [...(first ? [] : [empty]), `${arrow} ${group.place}`, empty];
  group.lines.forEach((line, index) => {
    const before = group.lines[index - 1];
    if (before !== undefined && line.row > before.row + 1) lines.push(paint('...', 'gutter', colour));
    for (const { line: row, below } of snippetsOf(line.text, line.marks, maxWidth - gutter - 3, style)) {
      const number = paint(`${String(line.number).padStart(gutter)} |`, 'gutter', colour);
      lines.push(`${number} ${row.toText(colour)}`.trimEnd());
      for (const under of below) lines.push(`${empty} ${under.toText(colour)}`);
    }
  });
  return lines;
}

function renderTail(word: string, text: string, gutter: number, colour: boolean): readonly string[] {
  const equals = paint(`${' '.repeat(gutter)} =`, 'gutter', colour);
  const [first = '', ...rest] = text.split('\n').map(safeText);
  const indent = ' '.repeat(gutter + 3 + word.length + 2);
  return [`${equals} ${paint(word, 'strong', colour)}: ${first}`, ...rest.map((line) => indent + line)];
}
