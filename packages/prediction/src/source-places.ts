import { quotedLocation, type QuotedLocation } from '@nccl-ts/findings';
import type { Module, Span } from '@nccl-ts/ir';

/** A line of a source. */
export interface SourceLine {
  /** The file's name without folders. Absent: the file of the kernel. */
  readonly file?: string;
  readonly line: number;
}

interface KnownPlaces {
  /** Every line that led to the code, the innermost first. */
  readonly lines: readonly Required<SourceLine>[];
  /** The index of the line that reports show. */
  readonly shown: number;
}

/** The lines of the code of one kernel, as reports show them. */
export class SourcePlaces {
  readonly #module: Module;
  readonly #known = new Map<Span, KnownPlaces>();

  constructor(module: Module) {
    this.#module = module;
  }

  /** The line that reports show for the code, as in `all-reduce.cu:42`. */
  shown(span: Span): string {
    const { lines, shown } = this.#of(span);
    const line = lines[shown];
    return line === undefined ? 'unknown' : `${line.file}:${line.line}`;
  }

  /**
   * True if a line led to the code. A line without a file is one of the file that reports show.
   */
  isAt(span: Span, { file, line }: SourceLine): boolean {
    const { lines, shown } = this.#of(span);
    if (file !== undefined) return lines.some((one) => one.line === line && one.file === file);
    return lines[shown]?.line === line;
  }

  #of(span: Span): KnownPlaces {
    const known = this.#known.get(span);
    if (known !== undefined) return known;
    const lines: Required<SourceLine>[] = [];
    let shown: number | undefined;
    let location: QuotedLocation | undefined = quotedLocation(this.#module, span);
    for (; location !== undefined; location = location.inlinedAt) {
      const { source, line } = location;
      const at = location.location ?? { file: source, line };
      if (location.isOwn === true) shown ??= lines.length;
      lines.push({ file: at.file.replace(/^.*[\\/]/, ''), line: at.line });
    }
    const places = { lines, shown: shown ?? lines.length - 1 };
    this.#known.set(span, places);
    return places;
  }
}
