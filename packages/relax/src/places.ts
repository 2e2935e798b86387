import type { PtxFunction, PtxInstruction, PtxModule, PtxSpan } from '@nccl-ts/ptx';
import { weakeningsOf, type Weakened } from './weakenings.ts';

/** One synchronization in the text of a kernel. */
export interface SyncPlace extends Weakened {
  /** The instruction, without its guard. */
  readonly instruction: string;
  /** The range of the instruction in the PTX, with its guard and its semicolon. */
  readonly span: PtxSpan;
  /** The line of the PTX, from 1. */
  readonly line: number;
  /** The author's line, if the PTX names it, and the lines of the calls that lead there. */
  readonly source: readonly SourceLine[];
}

export interface SourceLine {
  readonly file: string;
  readonly line: number;
}

/**
 * The synchronizations of an entry and of the functions that it may call, in the order of the text.
 */
export function placesOf(module: PtxModule, entry: PtxFunction): readonly SyncPlace[] {
  const functions = module.functions.filter((one) => one === entry || one.kind === 'func');
  return functions
    .flatMap(({ body }) => body?.items ?? [])
    .flatMap((item) => (item.kind === 'instruction' ? placeOf(module, item) : []))
    .toSorted((a, b) => a.span.start - b.span.start);
}

function placeOf(module: PtxModule, instruction: PtxInstruction): readonly SyncPlace[] {
  const { span, location } = instruction;
  const text = module.text.slice(span.start, span.end);
  const found = weakeningsOf(instruction, text);
  if (found === undefined) return [];
  const source: SourceLine[] = [];
  for (let at = location; at !== undefined; at = at.inlinedAt)
    source.push({ file: module.files.get(at.file) ?? '?', line: at.line });
  const line = module.text.slice(0, span.start).split('\n').length;
  const bare = text.slice(guardOf(text).length).trim();
  return [Object.freeze({ ...found, instruction: bare, span, line, source: Object.freeze(source) })];
}

/** The guard of an instruction, with the space behind it. Empty if it has none. */
export function guardOf(text: string): string {
  const [guard = ''] = /^@!?\S+\s+/u.exec(text) ?? [];
  return guard;
}
