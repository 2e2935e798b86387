import type { ShownLabel, ShownNote, ShownSpan } from '@nccl-ts/ir';
import { locationName, type QuotedLocation } from './quoted-location.ts';

/**
 * The line to show for a source location. It is the line of the kernel that led there, or the
 * location itself if it is in the author's own file.
 */
function shownOf(quoted: QuotedLocation): QuotedLocation {
  return quoted.isOwn === true || quoted.inlinedAt === undefined ? quoted : shownOf(quoted.inlinedAt);
}

export function shownSpan(quoted: QuotedLocation): ShownSpan {
  const { quote, source, line, column, location } = shownOf(quoted);
  const isAuthors = quote.from === 'author' && location !== undefined;
  return {
    home: isAuthors ? location.file : `${source} as captured`,
    name:
      location === undefined
        ? `kernel ${source} (captured text):${line}:${column}`
        : `${location.file}:${location.line}:${location.column}`,
    quote,
    row: isAuthors ? quote.line : line,
  };
}

/** Formats the position of the line to show, as `8:3`. */
export function shownPosition(quoted: QuotedLocation): string {
  const { location, line, column } = shownOf(quoted);
  return location === undefined ? `${line}:${column}` : `${location.line}:${location.column}`;
}

/** A source location with its text, or a note if the location is unknown. */
export function shownLabels(quoted: QuotedLocation | undefined, text: string): readonly ShownLabel[] {
  return quoted === undefined ? [] : [{ shown: shownSpan(quoted), text }];
}

/**
 * The locations inside device functions that a line leads to, and the call sites of a line. Those
 * in installed packages are left out: their users cannot change them.
 */
export function callPathNotes(locations: readonly (QuotedLocation | undefined)[]): readonly ShownNote[] {
  const texts = locations.flatMap((quoted): readonly string[] => {
    if (quoted?.inlinedAt === undefined) return [];
    const at = shownPosition(quoted);
    if (quoted.isOwn === true) return [`${at} is called at ${callsOf(quoted).join(',\nfrom ')}`];
    const inside = insideOf(quoted);
    const first = inside.findIndex(({ location }) => INSTALLED.test(location?.file ?? ''));
    const names = inside.slice(0, first === -1 ? inside.length : first).map(locationName);
    return names.length === 0 ? [] : [`${at} leads to ${names.join(',\nand that to ')}`];
  });
  return [...new Set(texts)].map((text) => ({ word: 'note', text }));
}

/** The call sites, the nearest first. */
function callsOf({ inlinedAt }: QuotedLocation): readonly string[] {
  return inlinedAt === undefined ? [] : [locationName(inlinedAt), ...callsOf(inlinedAt)];
}

/** The locations below the shown one, from the outermost to the innermost. */
function insideOf(quoted: QuotedLocation): readonly QuotedLocation[] {
  return quoted.inlinedAt === undefined || quoted.isOwn === true ? [] : [...insideOf(quoted.inlinedAt), quoted];
}

/** A file of an installed package. */
const INSTALLED = /[/\\]node_modules[/\\]/u;

/** The call of a barrier that led to a location: its text, as its author wrote it. */
export function barrierCall(location: QuotedLocation | undefined): string | undefined {
  if (location?.inlinedAt === undefined) return undefined;
  const { text, start, end } = shownOf(location).quote;
  const call = text.slice(start, end);
  return /\bsync\w*\s*\(|barrier/i.test(call) ? call : undefined;
}
