import type { QuotedLocation } from '../quoted-location.ts';

/**
 * A source location in JSON. It is in the author's file if that is known, and otherwise in the
 * captured text.
 */
export interface LocationJson {
  /**
   * Absent if the author's file is not known. `line` and `column` are then positions in the
   * captured text.
   */
  readonly file?: string;
  /** The name of the captured text: of a kernel or device function. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** One past the last column of the line that it covers. */
  readonly endColumn: number;
  /** The line. */
  readonly text: string;
  /** The call site of the enclosing device function. */
  readonly inlinedAt?: LocationJson;
}

export function locationJson(place: QuotedLocation): LocationJson {
  const { location, quote, inlinedAt } = place;
  const { line, column } = location ?? place;
  return {
    ...(location === undefined ? {} : { file: location.file }),
    source: place.source,
    line,
    column,
    endColumn: column + Math.max(1, quote.end - quote.start),
    text: quote.text,
    ...(inlinedAt === undefined ? {} : { inlinedAt: locationJson(inlinedAt) }),
  };
}

/**
 * The source location to show: the line of the kernel that led there, or the innermost one in the
 * author's own files.
 */
export function outermostLocation(location: QuotedLocation): QuotedLocation {
  return location.inlinedAt === undefined || location.isOwn === true ? location : outermostLocation(location.inlinedAt);
}
