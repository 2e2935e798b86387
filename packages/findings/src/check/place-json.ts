import type { SourcePlace } from '../kernel-text.ts';

/** A place in JSON: the author's file where it is known, else the captured text. */
export interface PlaceJson {
  /**
   * Absent where the author's file is not known; then `line` and `column` count in the text that
   * was captured.
   */
  readonly file?: string;
  /** The name of the captured text: of a kernel or device function. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** One past the last column that it covers of its line. */
  readonly endColumn: number;
  /** The line. */
  readonly text: string;
  /** Where the device function that it stands in was called. */
  readonly inlinedAt?: PlaceJson;
}

export function placeJson(place: SourcePlace): PlaceJson {
  const { location, quote, inlinedAt } = place;
  const { line, column } = location ?? place;
  return {
    ...(location === undefined ? {} : { file: location.file }),
    source: place.source,
    line,
    column,
    endColumn: column + Math.max(1, quote.end - quote.start),
    text: quote.text,
    ...(inlinedAt === undefined ? {} : { inlinedAt: placeJson(inlinedAt) }),
  };
}

/**
 * The place to show: that in the kernel from which one got to this one, or the innermost one in the
 * author's own files.
 */
export function shownPlace(place: SourcePlace): SourcePlace {
  return place.inlinedAt === undefined || place.isOwn === true ? place : shownPlace(place.inlinedAt);
}
