import type { Quote } from '../quote.ts';
import { paint, type Style } from './canvas.ts';
import { safeText } from './line-text.ts';
import { snippetsOf, type Mark } from './snippet.ts';

/** The options of rendering. */
export interface RenderOptions {
  /** True to use ANSI colours. @default false */
  readonly colour?: boolean;
}

/** A span that is ready to be shown. */
export interface ShownSpan {
  /** The text that contains the span. Labels with the same home share an excerpt. */
  readonly home: string;
  /** `file.ts:12:3`. */
  readonly name: string;
  readonly quote: Quote;
  /** The number of its line in the quoted text. */
  readonly row: number;
}

export interface ShownLabel {
  readonly shown: ShownSpan;
  readonly text: string;
}

/** A line after the excerpts, such as `= help: write f32(0)`. */
export interface ShownNote {
  readonly word: string;
  readonly text: string;
}

/** Excerpts and their labels. The first label of each section is a primary one. */
export interface ShownSection {
  readonly labels: readonly ShownLabel[];
  readonly notes: readonly ShownNote[];
}

export type ShownSeverity = 'error' | 'warning' | 'note';

/** A report with source lines, about an error at compile time or at run time. */
export interface ShownReport {
  readonly severity: ShownSeverity;
  readonly code: string;
  readonly message: string;
  readonly sections: readonly ShownSection[];
}

/** The largest column of a source line. */
const maxWidth = 110;

const severityStyles: Readonly<Record<ShownSeverity, Style>> = { error: 'error', warning: 'warning', note: 'note' };

/** Renders the report for people. The text may change. It has no line break at its end. */
export function renderShown(report: ShownReport, options: RenderOptions = {}): string {
  const colour = options.colour ?? false;
  const head = paint(`${report.severity}[${report.code}]`, severityStyles[report.severity], colour);
  const message = paint(`: ${safeText(report.message)}`, 'strong', colour);
  const body = renderSections(report.sections, report.severity, options);
  return body === '' ? head + message : `${head}${message}\n${body}`;
}

/** Renders only the excerpts and notes. The caller prints its own headline above them. */
export function renderSections(
  sections: readonly ShownSection[],
  severity: ShownSeverity,
  options: RenderOptions = {},
): string {
  const colour = options.colour ?? false;
  const grouped = sections.map(({ labels, notes }) => ({ groups: groupLabels(labels), notes }));
  const numbers = grouped.flatMap(({ groups }) => groups.flatMap(({ lines }) => lines.map(({ number }) => number)));
  const gutter = Math.max(1, ...numbers.map((number) => String(number).length));
  const bar = paint(`${' '.repeat(gutter)} |`, 'gutter', colour);
  const lines: string[] = [];
  let shown = 0;
  for (const { groups, notes } of grouped) {
    for (const group of groups) {
      if (shown > 0) lines.push(bar);
      lines.push(...renderGroup(group, shown === 0, gutter, severityStyles[severity], colour));
      shown++;
    }
    if (shown > 0 && notes.length > 0) lines.push(bar);
    for (const { word, text } of notes) lines.push(...renderNote(word, text, gutter, colour));
  }
  return lines.join('\n');
}

/** The labels in one line of a text. */
interface LabelledLine {
  /** The number that is shown, which is that of the author's file if it is known. */
  readonly number: number;
  readonly row: number;
  readonly text: string;
  readonly marks: Mark[];
}

/** The labels in one text. */
interface LabelGroup {
  /** The position of the first label. */
  readonly textName: string;
  readonly lines: LabelledLine[];
}

function groupLabels(labels: readonly ShownLabel[]): readonly LabelGroup[] {
  const groups = new Map<string, LabelGroup>();
  labels.forEach(({ shown: { home, name, quote, row }, text }, index) => {
    let group = groups.get(home);
    if (group === undefined) {
      group = { textName: safeText(name), lines: [] };
      groups.set(home, group);
    }
    const mark: Mark = { start: quote.start, end: quote.end, text, primary: index === 0 };
    const known = group.lines.find((other) => other.row === row);
    if (known === undefined) group.lines.push({ number: quote.line, row, text: quote.text, marks: [mark] });
    else known.marks.push(mark);
  });
  for (const { lines } of groups.values()) lines.sort((a, b) => a.row - b.row);
  return [...groups.values()];
}

function renderGroup(
  group: LabelGroup,
  first: boolean,
  gutter: number,
  style: Style,
  colour: boolean,
): readonly string[] {
  const empty = paint(`${' '.repeat(gutter)} |`, 'gutter', colour);
  const arrow = paint(`${' '.repeat(gutter)}${first ? '-->' : ':::'}`, 'gutter', colour);
  const lines = [`${arrow} ${group.textName}`, empty];
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

function renderNote(word: string, text: string, gutter: number, colour: boolean): readonly string[] {
  const equals = paint(`${' '.repeat(gutter)} =`, 'gutter', colour);
  const [first = '', ...rest] = text.split('\n').map(safeText);
  const indent = ' '.repeat(gutter + 3 + word.length + 2);
  return [`${equals} ${paint(word, 'strong', colour)}: ${first}`, ...rest.map((line) => indent + line)];
}
