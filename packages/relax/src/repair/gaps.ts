import { lineAt } from '@nccl-ts/ir';
import type { PtxFunction, PtxInstruction, PtxItem, PtxModule } from '@nccl-ts/ptx';
import { sourceKey } from './source-key.ts';

/** A position between two instructions that act on more than registers. */
export interface InstructionGap {
  /** The offset in the text at which an instruction can be inserted. */
  readonly at: number;
  /** The line of the text there, from 1. */
  readonly line: number;
  /** The number of the gap in the text. */
  readonly index: number;
  /** Equal for the copies that the compiler made of one position in the author's text. */
  readonly key: string;
  /** The number of branches that may jump over it, or repeat it. */
  readonly depth: number;
  /** The nearest instructions with an effect. Absent at a label. */
  readonly before?: PtxInstruction;
  readonly after?: PtxInstruction;
}

/** Opcodes with an effect on memory, on other threads or on the flow. */
const effects: ReadonlySet<string> = new Set([
  'ld',
  'ldu',
  'st',
  'atom',
  'red',
  'multimem',
  'fence',
  'membar',
  'bar',
  'barrier',
  'mbarrier',
  'cp',
  'bra',
  'brx',
  'call',
  'ret',
  'exit',
  'trap',
  'griddepcontrol',
  'prefetch',
  'vote',
  'match',
  'shfl',
  'redux',
  'activemask',
]);

/** The functions of an entry that have a text: itself, and those that it may call. */
export function functionsOf(module: PtxModule, entry: PtxFunction): readonly PtxFunction[] {
  return module.functions.filter((one) => one.body !== undefined && (one === entry || one.kind === 'func'));
}

/** True if an instruction does more than compute, or read what no other thread writes. */
export function hasEffect({ words: [opcode, ...modifiers] }: PtxInstruction): boolean {
  const isOwn = (opcode === 'ld' || opcode === 'st') && ['param', 'local', 'const'].includes(spaceOf(modifiers));
  return effects.has(opcode) && !isOwn;
}

function spaceOf(modifiers: readonly string[]): string {
  const [space = ''] = modifiers.flatMap((word) => /^(?:param|local|const)(?=$|::)/u.exec(word)?.[0] ?? []);
  return space;
}

/** The gaps of a function, in the order of the text. Those that no thread reaches are left out. */
export function gapsOf(module: PtxModule, { body }: PtxFunction, first = 0): readonly InstructionGap[] {
  const items = body?.items ?? [];
  const jumps = jumpsOf(items);
  const gaps: InstructionGap[] = [];
  let before: PtxItem | undefined;
  for (const [i, item] of items.entries()) {
    if (item.kind === 'instruction' && !hasEffect(item)) continue;
    const last = items[i - 1];
    const isUnreached = before !== undefined && before.kind === 'instruction' && leaves(before) && before === last;
    const isSecondLabel = item.kind === 'label' && last?.kind === 'label';
    if (before !== undefined && !isUnreached && !isSecondLabel)
      gaps.push({
        at: item.span.start,
        line: lineAt(module.text, item.span.start).line,
        index: first + gaps.length,
        key: `${keyOf(module, before)} | ${keyOf(module, item)}`,
        depth: jumps.filter(([from, to]) => Math.min(from, to) < i && i <= Math.max(from, to)).length,
        ...(before.kind === 'instruction' ? { before } : {}),
        ...(item.kind === 'instruction' ? { after: item } : {}),
      });
    before = item;
  }
  return gaps;
}

/** The branches: the number of each, and that of its label. */
export function jumpsOf(items: readonly PtxItem[]): readonly (readonly [from: number, to: number])[] {
  const labels = new Map(items.flatMap((item, i) => (item.kind === 'label' ? [[item.name, i] as const] : [])));
  return items.flatMap((item, i) => {
    if (item.kind !== 'instruction' || item.words[0] !== 'bra') return [];
    const [target] = item.operands;
    const to = target?.kind === 'symbol' ? labels.get(target.name) : undefined;
    return to === undefined ? [] : [[i, to] as const];
  });
}

function leaves({ words: [opcode], guard }: PtxInstruction): boolean {
  return guard === undefined && ['bra', 'brx', 'ret', 'exit', 'trap'].includes(opcode);
}

function keyOf(module: PtxModule, item: PtxItem): string {
  return item.kind === 'label' ? 'label' : sourceKey(module, item);
}
