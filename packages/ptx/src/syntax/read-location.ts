import type { PtxLocation } from './module.ts';
import type { TokenReader } from './token-reader.ts';

/** The locations of one function. Equal ones are shared. */
export interface Locations {
  /** The previous location, which line 0 refers to. */
  last: PtxLocation | undefined;
  /** By `file:line:column`: the last known inlining of that location. */
  readonly byInstruction: Map<string, PtxLocation>;
  /** The places of directives that count lines nobody wrote, which are skipped. */
  readonly counted: ReadonlySet<number>;
}

/**
 * Reads `.loc 1 25 3, function_name $L__info0, inlined_at 1 40 7`. Line 0 means the previous line.
 */
export function readLocation(reader: TokenReader, locations: Locations): PtxLocation | undefined {
  reader.expect('.loc');
  const file = readNumber(reader);
  const line = readNumber(reader);
  const column = readNumber(reader);
  let inlinedFunction: string | undefined;
  let inlinedAt: PtxLocation | undefined;
  while (reader.is(',')) {
    reader.next();
    if (reader.accept('function_name')) {
      inlinedFunction = reader.word('the name of a function');
      if (reader.accept('+')) readNumber(reader);
    } else if (reader.accept('inlined_at')) {
      const at = { file: readNumber(reader), line: readNumber(reader), column: readNumber(reader) };
      inlinedAt = locations.byInstruction.get(keyOf(at.file, at.line, at.column)) ?? at;
    } else return reader.missing('function_name or inlined_at');
  }
  if (line === 0) return locations.last;
  const location: PtxLocation = {
    file,
    line,
    column,
    ...(inlinedAt === undefined ? {} : { inlinedAt }),
    ...(inlinedFunction === undefined ? {} : { inlinedFunction }),
  };
  locations.byInstruction.set(keyOf(file, line, column), location);
  locations.last = location;
  return location;
}

function keyOf(file: number, line: number, column: number): string {
  return `${file}:${line}:${column}`;
}

function readNumber(reader: TokenReader): number {
  const { kind, text } = reader.peek();
  if (kind !== 'number' || !/^\d+$/.test(text)) return reader.missing('a number');
  reader.next();
  return Number(text);
}
