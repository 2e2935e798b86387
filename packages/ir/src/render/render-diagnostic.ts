import type { Diagnostic, Label } from '../diagnostic.ts';
import { quoteOf } from '../quote.ts';
import { lineAt, type Source } from '../span.ts';
import { renderShown, type RenderOptions, type ShownLabel, type ShownNote } from './render-shown.ts';

/**
 * Renders the diagnostic for people: message, position, the source lines with labels, notes, hint.
 * `sources` are the sources of the module that the spans refer to. Positions and lines are the
 * author's if a source can map them, and otherwise those of the captured text. The text is for
 * people and may change. It has no line break at its end.
 */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  sources: readonly Source[],
  options: RenderOptions = {},
): string {
  const { severity, code, message, labels, notes, hint } = diagnostic;
  const shown = [...labels, ...callLabels(labels)].flatMap((label) => shownLabel(label, sources));
  const tail: ShownNote[] = [
    ...labels
      .filter(({ span, text }) => text !== '' && sources[span.source] === undefined)
      .map(({ text }) => ({ word: 'note', text })),
    ...notes.map((text) => ({ word: 'note', text })),
    ...(hint === undefined ? [] : [{ word: 'help', text: hint }]),
  ];
  return renderShown({ severity, code, message, sections: [{ labels: shown, notes: tail }] }, options);
}

/** The most positions that are listed for further diagnostics of one kind. The rest are counted. */
const mostLocations = 6;

/**
 * Renders the diagnostics, separated by empty lines. Equal ones are rendered once, with the
 * positions of the others.
 */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: readonly Source[],
  options: RenderOptions = {},
): string {
  return alikeDiagnostics(diagnostics)
    .map(([first, ...others]) => renderDiagnostic(withLocations(first, others, sources), sources, options))
    .join('\n\n');
}

/**
 * Groups diagnostics that have the same text and different positions, in order of first occurrence.
 */
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

function withLocations(first: Diagnostic, others: readonly Diagnostic[], sources: readonly Source[]): Diagnostic {
  if (others.length === 0) return first;
  const home = first.labels[0]?.span.source;
  const locations = new Set(others.flatMap(({ labels: [label] }) => (label ? locationText(label, sources, home) : [])));
  const named = [...locations].slice(0, mostLocations).join(', ');
  const more = locations.size > mostLocations ? ', ...' : '';
  const where = named === '' ? '' : `, at ${named}${more}`;
  return { ...first, notes: [...first.notes, `and ${others.length} more like it${where}`] };
}

/** Formats a position as `4:10`, with the file or text in front if that is not `home`. */
function locationText({ span }: Label, sources: readonly Source[], home: number | undefined): readonly string[] {
  const source = sources[span.source];
  if (source === undefined) return [];
  const location = source.locate?.(span.start);
  const { line, column } = location ?? lineAt(source.text, span.start);
  const text = span.source === home ? '' : `${location?.file ?? source.name}:`;
  return [`${text}${line}:${column}`];
}

/** The calls that led to spans in inlined text, each once. */
function callLabels(labels: readonly Label[]): readonly Label[] {
  const calls = new Map<string, Label>();
  for (const label of labels) {
    for (let at = label.span.inlinedAt; at !== undefined; at = at.inlinedAt) {
      calls.set(`${at.source}:${at.start}-${at.end}`, { span: at, text: 'called here' });
    }
  }
  return [...calls.values()];
}

/** Groups spans of one source. If its text came from several files, each file has its own group. */
function shownLabel({ span, text }: Label, sources: readonly Source[]): readonly ShownLabel[] {
  const source = sources[span.source];
  if (source === undefined) return [];
  const quote = quoteOf(source, span);
  const captured = lineAt(source.text, span.start);
  const { location } = quote;
  const row = quote.from === 'author' ? quote.line : captured.line;
  const home = `${sources.indexOf(source)}:${quote.from === 'author' ? (location?.file ?? '') : ''}`;
  const name =
    location === undefined
      ? `kernel ${source.name} (captured text):${captured.line}:${captured.column}`
      : `${location.file}:${location.line}:${location.column}`;
  return [{ shown: { home, name, quote, row }, text }];
}
