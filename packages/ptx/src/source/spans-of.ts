import { lineAt, type Source, type SourceId, type SourceLocation, type Span } from '@nccl-ts/ir';
import type { PtxInstruction, PtxLocation, PtxModule, PtxSpan } from '../syntax/module.ts';
import { LineStarts } from './line-starts.ts';

/** The locations of instructions, for findings. */
export interface Spans {
  readonly sources: readonly Source[];
  /** The location in the author's file if its text is known, and otherwise in the PTX text. */
  of(at: { readonly span: PtxSpan; readonly location?: PtxLocation }): Span;
}

/** Files of compilers and libraries. For these, findings show the author's line that led there. */
const library =
  /(?:^|[\\/])(?:include[\\/](?:cuda|cub|thrust|nv|cooperative_groups|crt|nccl)|cuda[\\/]std|nvidia[\\/]|targets[\\/])/u;

/**
 * The locations of the instructions of `module`. `read` returns the text of a file by its path in
 * the module. The location of an inlined instruction is the innermost one outside of libraries.
 */
export function spansOf(module: PtxModule, read?: (path: string) => string | undefined): Spans {
  return new ModuleSpans(module, read);
}

class ModuleSpans implements Spans {
  readonly sources: Source[];
  readonly #module: PtxModule;
  readonly #read: ((path: string) => string | undefined) | undefined;
  readonly #files = new Map<
    number,
    { readonly id: SourceId; readonly text: string; readonly lines: LineStarts } | undefined
  >();
  readonly #spans = new Map<PtxLocation, Span | undefined>();
  #located: readonly PtxInstruction[] | undefined;

  constructor(module: PtxModule, read: ((path: string) => string | undefined) | undefined) {
    this.#module = module;
    this.#read = read;
    this.sources = [{ name: module.name, text: module.text, locate: (offset) => this.#locate(offset) }];
  }

  of({ span, location }: { readonly span: PtxSpan; readonly location?: PtxLocation }): Span {
    const own = location === undefined ? undefined : this.#ofLocation(location);
    return own ?? { source: 0, start: span.start, end: span.end };
  }

  #ofLocation(location: PtxLocation): Span | undefined {
    if (this.#spans.has(location)) return this.#spans.get(location);
    const made = this.#make(location);
    this.#spans.set(location, made);
    return made;
  }

  #make(location: PtxLocation): Span | undefined {
    const { inlinedAt } = location;
    const outer = inlinedAt === undefined ? undefined : this.#ofLocation(inlinedAt);
    // The call of a library says more than a line inside the library.
    if (outer !== undefined && this.#isLibrary(location)) return outer;
    const file = this.#file(location.file);
    if (file === undefined) return outer;
    const { start, end } = file.lines.piece(location.line, location.column);
    return { source: file.id, start, end, ...(outer === undefined ? {} : { inlinedAt: outer }) };
  }

  #isLibrary({ file }: PtxLocation): boolean {
    return library.test(this.#module.files.get(file) ?? '');
  }

  #file(number: number): { readonly id: SourceId; readonly text: string; readonly lines: LineStarts } | undefined {
    if (this.#files.has(number)) return this.#files.get(number);
    const path = this.#module.files.get(number);
    const text = path === undefined ? undefined : this.#read?.(path);
    const made =
      path === undefined || text === undefined
        ? undefined
        : { id: this.sources.push(sourceOf(path, text)) - 1, text, lines: new LineStarts(text) };
    this.#files.set(number, made);
    return made;
  }

  /**
   * The author's location of an offset in the PTX text, if only the location is known and not the
   * text.
   */
  #locate(offset: number): SourceLocation | undefined {
    this.#located ??= this.#module.functions
      .flatMap(({ body }) => body?.items ?? [])
      .filter((item): item is PtxInstruction => item.kind === 'instruction');
    const found = this.#located.findLast(({ span }) => span.start <= offset && offset <= span.end);
    let location = found?.location;
    while (location?.inlinedAt !== undefined && this.#isLibrary(location)) location = location.inlinedAt;
    const file = location === undefined ? undefined : this.#module.files.get(location.file);
    if (location === undefined || file === undefined) return undefined;
    return { file, line: location.line, column: Math.max(1, location.column) };
  }
}

/** Findings show locations in the author's own files, and not the calls that led there. */
function sourceOf(path: string, text: string): Source {
  const locate = (offset: number): SourceLocation => ({ file: path, ...lineAt(text, offset) });
  return library.test(path) ? { name: path, text, locate } : { name: path, text, locate, isOwn: true };
}
