import { lineAt } from '@nccl-ts/ir';
import type { PtxFunction, PtxInstruction, PtxModule } from '@nccl-ts/ptx';
import { guardOf } from '../places.ts';
import { grouped } from './grouped.ts';
import { functionsOf, gapsOf, hasEffect, type InstructionGap } from './gaps.ts';
import { polledLoads } from './polled-loads.ts';
import { sourceKey } from './source-key.ts';
import type { Strengthening, StrengtheningKind } from './strengthening.ts';
import { isOrdered, strongerWords } from './stronger-words.ts';

/**
 * All strengthenings of one instruction or one position, in the order of the text. `isShared` says
 * if copies in bulk are to be ordered in shared memory, and not in global memory.
 */
export function strengtheningsOf(module: PtxModule, entry: PtxFunction, isShared = false): readonly Strengthening[] {
  const functions = functionsOf(module, entry);
  const instructions = functions.flatMap(({ body }) =>
    (body?.items ?? []).filter((item) => item.kind === 'instruction'),
  );
  const gaps: InstructionGap[] = [];
  for (const one of functions) gaps.push(...gapsOf(module, one, gaps.length));
  const polled = new Set(functions.flatMap(({ body }) => [...polledLoads(body?.items ?? [])]));
  return [
    ...stronger(module, instructions, polled),
    ...functions.flatMap((one) => unguarded(module, one)),
    ...inserted(module, gaps, insertedTexts(instructions, isShared)),
  ];
}

/** An instruction to insert at gaps. */
export interface InsertedText {
  readonly kind: StrengtheningKind;
  readonly text: string;
  readonly cost: number;
}

/** The fences and barriers that a kernel may lack, in the words that it uses already. */
function insertedTexts(instructions: readonly PtxInstruction[], isShared: boolean): readonly InsertedText[] {
  const used = (test: (words: PtxInstruction['words']) => boolean): readonly string[] => {
    const counts = new Map<string, number>();
    for (const { words } of instructions.filter((one) => test(one.words))) {
      const text = words.join('.');
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return [...counts].toSorted(([, a], [, b]) => b - a).map(([text]) => text);
  };
  const isFull = ([opcode, first]: readonly string[]): boolean =>
    opcode === 'membar' || (opcode === 'fence' && (first === 'sc' || first === 'acq_rel'));
  const fences = used(isFull).filter((text) => text.endsWith('.sys'));
  const proxies = used(([opcode, first]) => opcode === 'fence' && first === 'proxy');
  const usesBulk = instructions.some(({ words }) => words[0] === 'cp' && words.includes('bulk'));
  const usesGroups = instructions.some(({ words }) => words.includes('bulk_group'));
  const found: InsertedText[] = [
    { kind: 'fence', text: `${fences[0] ?? 'fence.acq_rel.sys'};`, cost: 2 },
    { kind: 'sc-fence', text: `${fences.find((text) => text !== 'fence.acq_rel.sys') ?? 'fence.sc.sys'};`, cost: 2.5 },
  ];
  const bulk = usesBulk ? [`fence.proxy.async.${isShared ? 'shared::cta' : 'global'}`, 'fence.proxy.async'] : [];
  for (const text of new Set([...bulk, ...proxies])) found.push({ kind: 'proxy', text: `${text};`, cost: 2 });
  if (usesGroups) found.push({ kind: 'completion', text: 'cp.async.bulk.wait_group 0;', cost: 2 });
  found.push({ kind: 'barrier', text: 'bar.sync 0;', cost: 3 });
  if (instructions.some(({ words }) => words.join('.') === 'bar.warp.sync'))
    found.push({ kind: 'barrier', text: 'bar.warp.sync 0xffffffff;', cost: 2.5 });
  return found;
}

/** Stronger forms of instructions that are there. Copies of one instruction change together. */
function stronger(
  module: PtxModule,
  instructions: readonly PtxInstruction[],
  polled: ReadonlySet<PtxInstruction>,
): readonly Strengthening[] {
  const copies = grouped(
    instructions.filter((one) => hasEffect(one)),
    (one) => sourceKey(module, one),
  );
  return copies.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const texts = group.map(({ span }) => module.text.slice(span.start, span.end));
    const forms = group.map((one, i) => strongerWords(one, texts[i] ?? ''));
    const isAccess = first.words[0] !== 'fence' && first.words[0] !== 'membar' && first.words[0] !== 'cp';
    return (forms[0] ?? []).map(({ does, cost }, form) => ({
      kind: first.words[0] === 'cp' ? ('completion' as const) : isAccess ? ('order' as const) : ('fence' as const),
      does,
      instruction: bare(texts[0] ?? ''),
      edits: group.map(({ span }, i) => ({ span, with: forms[i]?.[form]?.text ?? '' })),
      lines: group.map(({ span }) => lineAt(module.text, span.start).line),
      cost,
      silences: isAccess && !group.some((one) => isOrdered(one) || polled.has(one)),
      depth: 0,
      own: first.location,
    }));
  });
}

/** Fences that only some threads reach, and that stand alone behind their condition. */
function unguarded(module: PtxModule, { body }: PtxFunction): readonly Strengthening[] {
  const items = body?.items ?? [];
  const found = items.flatMap((item, i) => {
    if (item.kind !== 'instruction' || !isFence(item)) return [];
    const text = module.text.slice(item.span.start, item.span.end);
    const [jump, label] = [items[i - 1], items[i + 1]];
    const [target] = jump?.kind === 'instruction' ? jump.operands : [];
    const isJump =
      jump?.kind === 'instruction' &&
      jump.words[0] === 'bra' &&
      jump.guard !== undefined &&
      label?.kind === 'label' &&
      target?.kind === 'symbol' &&
      target.name === label.name;
    if (item.guard === undefined && !isJump) return [];
    const edit =
      item.guard === undefined && jump !== undefined
        ? { span: jump.span, with: '' }
        : { span: item.span, with: text.slice(guardOf(text).length) };
    return [{ item, edit, text }];
  });
  return grouped(found, ({ item }) => sourceKey(module, item)).map((group) => ({
    kind: 'fence' as const,
    does: 'by all threads',
    instruction: bare(group[0]?.text ?? ''),
    edits: group.map(({ edit }) => edit),
    lines: group.map(({ item }) => lineAt(module.text, item.span.start).line),
    cost: 1,
    silences: false,
    depth: 0,
    own: group[0]?.item.location,
  }));
}

function isFence({ words: [opcode] }: PtxInstruction): boolean {
  return opcode === 'fence' || opcode === 'membar';
}

function inserted(
  module: PtxModule,
  gaps: readonly InstructionGap[],
  texts: readonly InsertedText[],
): readonly Strengthening[] {
  return texts.flatMap(({ kind, text, cost }) =>
    grouped(gaps, ({ key }) => key).flatMap((group) => {
      const [first] = group;
      if (first === undefined || group.some((gap) => isBeside(gap, text))) return [];
      const next = first.after;
      return [
        {
          kind,
          does: `insert ${text.replace(/;$/u, '')}`,
          instruction: next === undefined ? '' : bare(module.text.slice(next.span.start, next.span.end)),
          edits: group.map(({ at }) => ({ span: { start: at, end: at }, with: `${text} ` })),
          lines: group.map(({ line }) => line),
          cost,
          silences: false,
          depth: Math.max(...group.map(({ depth }) => depth)),
          before: first.before?.location,
          after: first.after?.location,
        },
      ];
    }),
  );
}

/** True if a gap is next to the same instruction, or a barrier to a barrier. */
function isBeside({ before, after }: InstructionGap, text: string): boolean {
  const [opcode = ''] = text.split(/[. ]/u);
  const words = text.replace(/[ ;].*$/u, '');
  return [before, after].some(
    (one) =>
      one?.guard === undefined && (one?.words.join('.') === words || (opcode === 'bar' && one?.words[0] === 'bar')),
  );
}

function bare(text: string): string {
  return text.slice(guardOf(text).length).trim().replaceAll(/\s+/gu, ' ');
}
