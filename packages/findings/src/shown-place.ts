import type { ShownLabel, ShownNote, ShownPlace } from '@nccl-ts/ir';
import { placeName, type SourcePlace } from './kernel-text.ts';

/**
 * The line that is shown of a place: the one of the kernel from which one got there, or the place
 * itself where it is in a file of the author's own.
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

/** `8:3`: where in its text the line that is shown of a place stands. */
export function shownPosition(place: SourcePlace): string {
  const { location, line, column } = shownOf(place);
  return location === undefined ? `${line}:${column}` : `${location.line}:${location.column}`;
}

/**
 * A place, which may not be known, and what is to be said of it: where it is not known, in a note.
 */
export function shownLabels(place: SourcePlace | undefined, text: string): readonly ShownLabel[] {
  return place === undefined ? [] : [{ place: shownPlace(place), text }];
}

/**
 * The places inside of device functions that a line leads to, and those that a line of the author's
 * was called at.
 */
export function wayNotes(places: readonly (SourcePlace | undefined)[]): readonly ShownNote[] {
  const texts = places.flatMap((place): readonly string[] => {
    if (place?.inlinedAt === undefined) return [];
    const at = shownPosition(place);
    if (place.isOwn === true) return [`${at} is called at ${callsOf(place).join(',\nfrom ')}`];
    return [`${at} leads to ${insideOf(place).join(',\nand that to ')}`];
  });
  return [...new Set(texts)].map((text) => ({ word: 'note', text }));
}

/** Where one was called from, the nearest first. */
function callsOf({ inlinedAt }: SourcePlace): readonly string[] {
  return inlinedAt === undefined ? [] : [placeName(inlinedAt), ...callsOf(inlinedAt)];
}

/** The places below the one that is shown, from the outermost to the innermost. */
function insideOf(place: SourcePlace): readonly string[] {
  return place.inlinedAt === undefined || place.isOwn === true ? [] : [...insideOf(place.inlinedAt), placeName(place)];
}
