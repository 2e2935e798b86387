import type { ShownLabel, ShownNote, ShownPlace } from '@nccl-ts/ir';
import { placeName, type SourcePlace } from './source-place.ts';

/**
 * The line to show for a source location. It is the line of the kernel that led there, or the
 * location itself if it is in the author's own file.
 */
function shownOf(place: SourcePlace): SourcePlace {
  return place.isOwn === true || place.inlinedAt === undefined ? place : shownOf(place.inlinedAt);
}

export function shownPlace(place: SourcePlace): ShownPlace {
  const { quote, source, line, column, location } = shownOf(place);
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
export function shownPosition(place: SourcePlace): string {
  const { location, line, column } = shownOf(place);
  return location === undefined ? `${line}:${column}` : `${location.line}:${location.column}`;
}

/** A source location with its text, or a note if the location is unknown. */
export function shownLabels(place: SourcePlace | undefined, text: string): readonly ShownLabel[] {
  return place === undefined ? [] : [{ place: shownPlace(place), text }];
}

/** The locations inside device functions that a line leads to, and the call sites of a line. */
export function wayNotes(places: readonly (SourcePlace | undefined)[]): readonly ShownNote[] {
  const texts = places.flatMap((place): readonly string[] => {
    if (place?.inlinedAt === undefined) return [];
    const at = shownPosition(place);
    if (place.isOwn === true) return [`${at} is called at ${callsOf(place).join(',\nfrom ')}`];
    return [`${at} leads to ${insideOf(place).join(',\nand that to ')}`];
  });
  return [...new Set(texts)].map((text) => ({ word: 'note', text }));
}

/** The call sites, the nearest first. */
function callsOf({ inlinedAt }: SourcePlace): readonly string[] {
  return inlinedAt === undefined ? [] : [placeName(inlinedAt), ...callsOf(inlinedAt)];
}

/** The locations below the shown one, from the outermost to the innermost. */
function insideOf(place: SourcePlace): readonly string[] {
  return place.inlinedAt === undefined || place.isOwn === true ? [] : [...insideOf(place.inlinedAt), placeName(place)];
}
