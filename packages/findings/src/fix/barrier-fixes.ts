import { lineAt, offsetAt } from '@nccl-ts/ir';
import type { Expression, Literal, SpreadElement, Statement } from 'acorn';
import type { Finding } from '../check/finding.ts';
import type { FindingLabel } from '../finding-label.ts';
import { outermostLocation } from '../check/location-json.ts';
import type { Fix, FixEdit } from './fix.ts';
import { barriersAt } from './barriers-at.ts';
import { contains, descendants, kernelCalls, levelsAt, type Gap, type KernelCall } from './kernel-calls.ts';
import type { TextEdit } from './kernel-names.ts';

/** The author's file of a finding, with types blanked out in place. */
export interface ProgramText {
  /** The path, as the findings have it. */
  readonly file: string;
  readonly text: string;
}

/**
 * Barriers that would order the two accesses of a race, the most likely first. They stand between
 * the two accesses in the text of their kernel, at the end of a loop around them, or before or
 * after all accesses if the host makes the other one. A barrier that is there but too weak gets a
 * stronger order. Not each of them fixes the race, so check the program after the change.
 */
export function barrierFixes(finding: Finding, { file, text }: ProgramText): readonly Fix[] {
  const [now, before] = finding.labels;
  if (finding.kind !== 'race' || now === undefined || before === undefined) return [];
  if (now.agent === 'network' || before.agent === 'network') return [];
  const offsets = [now, before].flatMap((label) =>
    label.agent === 'thread' ? (offsetOf(label, file, text) ?? Number.NaN) : [],
  );
  const [first] = offsets;
  if (first === undefined || offsets.some(Number.isNaN)) return [];
  const call = kernelCalls(text).find(({ body }) => offsets.every((offset) => contains(body, offset)));
  if (call === undefined) return [];
  const isOfCta = isSameCta(now, before);
  const strengthened = isOfCta ? [] : strongerSyncs(call, text);
  const added = gapsOf(call, now, before, offsets).flatMap((gap) =>
    barriersAt(call, gap, text, isOfCta).map(({ barrier, edits }) => ({
      title: `add ${barrier.slice(barrier.lastIndexOf('\n') + 1).replace(/;$/, '')}`,
      edits: [...edits, ...insertion(gap, barrier, text)],
    })),
  );
  return [...strengthened, ...added].map(({ title, edits }) => ({ title, file, edits: inLines(edits, text) }));
}

function offsetOf({ place }: FindingLabel, file: string, text: string): number | undefined {
  const location = place === undefined ? undefined : outermostLocation(place).location;
  return location?.file === file ? offsetAt(text, location.line, location.column) : undefined;
}

function isSameCta(a: FindingLabel, b: FindingLabel): boolean {
  return (
    a.agent === 'thread' &&
    b.agent === 'thread' &&
    a.rank === b.rank &&
    a.launch === b.launch &&
    a.blockIdx?.x === b.blockIdx?.x &&
    a.blockIdx?.y === b.blockIdx?.y &&
    a.blockIdx?.z === b.blockIdx?.z
  );
}

/** The positions where a barrier separates the accesses, the most likely first. */
function gapsOf(
  call: KernelCall,
  now: FindingLabel,
  before: FindingLabel,
  [one = 0, other = one]: readonly number[],
): readonly Gap[] {
  const chain = levelsAt(call, one);
  const top = chain[0];
  if (top === undefined) return [];
  const otherChain = levelsAt(call, other);
  const start: Gap = { levels: [top], index: Math.min(top.index, otherChain[0]?.index ?? top.index) };
  const end: Gap = { levels: [top], index: top.list.length };
  // A kernel and the host, or two launches, meet only at the ends of the kernel.
  if (now.agent === 'host') return [end];
  if (before.agent === 'host') return [start];
  if (now.rank === before.rank && now.launch !== before.launch) return [end, start];
  const gaps: Gap[] = [];
  const shared = chain.filter(({ list }, i) => otherChain[i]?.list === list);
  for (const [i, { list, isLoop }] of [...shared.entries()].toReversed()) {
    const levels = shared.slice(0, i + 1);
    const [own, theirs] = [chain[i], otherChain[i]];
    if (own === undefined || theirs === undefined) continue;
    const [low, high] = [Math.min(own.index, theirs.index), Math.max(own.index, theirs.index)];
    if (low < high) gaps.push({ levels, index: low + 1 });
    if (high > low + 1) gaps.push({ levels, index: high });
    if (isLoop) gaps.push({ levels, index: list.length });
  }
  return [...gaps, end, start];
}

/** The barriers of the kernel with an order that does less than release and acquire. */
function strongerSyncs({ body }: KernelCall, text: string): readonly { title: string; edits: readonly TextEdit[] }[] {
  return descendants(body).flatMap((node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return [];
    const { property } = node.callee;
    if (property.type !== 'Identifier' || property.name !== 'sync') return [];
    const order = node.arguments.find(isWeakOrder);
    if (order === undefined) return [];
    const edit = { start: order.start + 1, end: order.end - 1, insert: 'acq_rel' };
    return [{ title: `acq_rel instead of ${text.slice(edit.start, edit.end)}`, edits: [edit] }];
  });
}

function isWeakOrder(node: Expression | SpreadElement): node is Literal {
  return node.type === 'Literal' && (node.value === 'relaxed' || node.value === 'acquire' || node.value === 'release');
}

/** Inserts a statement on its own lines if the author's statements stand on theirs. */
function insertion({ levels, index }: Gap, statement: string, text: string): readonly TextEdit[] {
  const list = levels.at(-1)?.list ?? [];
  const before = list[index - 1];
  const after = list[index];
  if (before !== undefined) {
    const lineEnd = endOfLine(text, before.end);
    const rest = text.slice(before.end, lineEnd);
    const at = /^\s*(?:\/\/.*)?$/.test(rest) ? lineEnd - (/\r$/.exec(rest)?.[0].length ?? 0) : before.end;
    return [{ start: at, end: at, insert: `\n${indented(statement, indentOf(text, before))}` }];
  }
  if (after === undefined) return [];
  const indent = indentOf(text, after);
  return [{ start: after.start, end: after.start, insert: `${indented(statement, indent).trimStart()}\n${indent}` }];
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}

function indentOf(text: string, { start }: Statement): string {
  return /^[ \t]*/.exec(lineAt(text, start).text)?.[0] ?? '';
}

function indented(statement: string, indent: string): string {
  return statement
    .split('\n')
    .map((line) => indent + line)
    .join('\n');
}

function inLines(edits: readonly TextEdit[], text: string): readonly FixEdit[] {
  return edits
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, insert }) => {
      const { line, column } = lineAt(text, start);
      return { line, column, endColumn: column + end - start, insert };
    });
}
