import type { PtxLocation, PtxModule } from '@nccl-ts/ptx';
import type { Edit } from '../edits.ts';
import type { Strengthening } from './strengthening.ts';

/** The author's source of a kernel. */
export interface AuthorSource {
  /** The path, as the PTX names it. */
  readonly file: string;
  readonly text: string;
  /** Compiles another text of the file. Rejects if it cannot be compiled. */
  readonly compile: (text: string) => Promise<string>;
}

/**
 * The ways to write a change in the author's source, the most natural first. It is not known if
 * they mean the same, so compile and check them.
 */
export function sourceEdits(
  change: Strengthening,
  { files }: PtxModule,
  { file, text }: AuthorSource,
): readonly (readonly Edit[])[] {
  const lines = text.split('\n');
  const places = (location: PtxLocation | undefined): readonly PlaceInSource[] =>
    placesOf(location).filter((one) => files.get(one.file) === file);
  if (change.own !== undefined) {
    const [own] = places(change.own);
    const edit = own === undefined ? undefined : (wordsInLine(lines, own.line, change) ?? bareFence(lines, own.line));
    return edit === undefined ? [] : [[edit]];
  }
  const statement = statementOf(change.does);
  if (statement === undefined) return [];
  const [before, after] = [places(change.before), places(change.after)];
  const shared = before.find((one) => after.some(({ call }) => call === one.call));
  const next = after.find(({ call }) => call === (shared ?? after.at(-1))?.call);
  const last = shared ?? before.at(-1);
  const isForward = last === undefined || next === undefined || last.line < next.line;
  return [
    ...(next === undefined || !isForward ? [] : [insertion(lines, next.line, statement)]),
    ...(last === undefined ? [] : [insertion(lines, last.line + 1, statement, last.line)]),
  ].map((edit) => [edit]);
}

interface PlaceInSource {
  readonly file: number;
  readonly line: number;
  /** The call that leads there: equal for places of one function. */
  readonly call: string;
}

/** A place, and the calls that lead to it, innermost first. */
function placesOf(location: PtxLocation | undefined): readonly PlaceInSource[] {
  const places: PlaceInSource[] = [];
  for (let at = location; at !== undefined; at = at.inlinedAt) {
    const { inlinedAt } = at;
    const call = inlinedAt === undefined ? '' : `${inlinedAt.file}:${inlinedAt.line}`;
    places.push({ file: at.file, line: at.line, call });
  }
  return places;
}

/** The most lines of one statement of inline assembly. */
const NEAR = 4;

/** The instruction in the author's text, with other words. */
function wordsInLine(lines: readonly string[], line: number, { instruction, edits }: Strengthening): Edit | undefined {
  const [edit] = edits;
  const made = edit?.with.replace(/^@!?\S+\s+/u, '').trim() ?? '';
  if (made === '') return undefined;
  // Operands are written in another way than in PTX, unless they are constants.
  const [head = '', ...rest] = instruction.split(' ');
  const isConstant = /^-?\d+;$/u.test(rest.join(' '));
  const from = isConstant ? instruction : head;
  const to = isConstant ? made.replaceAll(/\s+/gu, ' ') : (made.split(/\s/u)[0] ?? '');
  for (let i = line - 1; i < Math.min(line - 1 + NEAR, lines.length); i++) {
    const column = lines[i]?.indexOf(from) ?? -1;
    if (column === -1) continue;
    const start = startOf(lines, i + 1) + column;
    return { span: { start, end: start + from.length }, with: to };
  }
  return undefined;
}

/** A fence without the condition before it. */
function bareFence(lines: readonly string[], line: number): Edit | undefined {
  const [, indent = '', condition] = /^(\s*)(if\s*\(.*\)\s*)(?:__threadfence|asm\b)/u.exec(lines[line - 1] ?? '') ?? [];
  if (condition === undefined) return undefined;
  const start = startOf(lines, line) + indent.length;
  return { span: { start, end: start + condition.length }, with: '' };
}

/** A statement on a line of its own before a line, indented as `like`. */
function insertion(lines: readonly string[], before: number, statement: string, like = before): Edit {
  const [indent = ''] = /^\s*/u.exec(lines[like - 1] ?? '') ?? [];
  const start = startOf(lines, before);
  return { span: { start, end: start }, with: `${indent}${statement}\n` };
}

function startOf(lines: readonly string[], line: number): number {
  return lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
}

const statements: readonly (readonly [RegExp, string])[] = [
  [/^(?:membar\.sys|fence\.(?:sc|acq_rel)\.sys)$/u, '__threadfence_system();'],
  [/^(?:membar\.gl|fence\.(?:sc|acq_rel)\.gpu)$/u, '__threadfence();'],
  [/^bar\.sync 0$/u, '__syncthreads();'],
  [/^bar\.warp\.sync /u, '__syncwarp();'],
];

/** The statement for an instruction that a change inserts. */
function statementOf(does: string): string | undefined {
  const [, instruction] = /^insert (.*)$/u.exec(does) ?? [];
  if (instruction === undefined) return undefined;
  const known = statements.find(([pattern]) => pattern.test(instruction));
  return known?.[1] ?? `asm volatile("${instruction};" ::: "memory");`;
}
