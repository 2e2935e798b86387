import type { PtxInstruction } from '@nccl-ts/ptx';
import { written, type Weakening } from '../weakenings.ts';

/** A stronger instruction in place of another. */
export interface Stronger extends Weakening {
  /** How much it changes; an order that is added is 1. */
  readonly cost: number;
}

const scopes: readonly string[] = ['cta', 'cluster', 'gpu', 'sys'];
const orders: readonly string[] = ['weak', 'volatile', 'relaxed', 'acquire', 'release', 'acq_rel', 'mmio'];

/** Words that an ordered access cannot have. */
const ofPlainAccesses = /^(?:nc|c[agsv]|lu|wb|wt|weak|volatile|L[12]::.*)$/u;

/**
 * The stronger forms of an access to memory or of a fence: another order, a wider scope, and both.
 * Empty for what has none. A plain access gets one too.
 */
export function strongerWords({ words }: PtxInstruction, text: string): readonly Stronger[] {
  const [opcode, ...modifiers] = words;
  switch (opcode) {
    case 'ld':
    case 'st':
    case 'atom':
    case 'red':
    case 'multimem':
      return strongerAccess(words, text);
    case 'fence':
    case 'membar':
      return strongerFence(words, text);
    case 'cp':
      return modifiers.includes('wait_group') ? strongerWait(words, text) : [];
    default:
      return [];
  }
}

/** True if an access has an order: it is meant for other threads. */
export function isOrdered({ words }: PtxInstruction): boolean {
  const [opcode] = words;
  return opcode === 'atom' || opcode === 'red' || words.some((word) => word !== 'weak' && orders.includes(word));
}

function strongerAccess(words: PtxInstruction['words'], text: string): readonly Stronger[] {
  const isAtomic = words[0] === 'atom';
  const order = words.find((word) => orders.includes(word)) ?? 'none';
  const isPlain = order === 'weak' || (order === 'none' && words[0] !== 'atom' && words[0] !== 'red');
  const scope = words.find((word) => scopes.includes(word)) ?? (isPlain || order === 'volatile' ? 'sys' : 'gpu');
  const better = betterOrders(words, order);
  const as = (other: string, on: string): Stronger => {
    const does = [other === order ? '' : `${order} -> ${other}`, on === scope ? '' : `${scope} -> ${on}`];
    const cost =
      (other === order ? 0 : other === 'acq_rel' && order !== 'acquire' && order !== 'release' ? 1.2 : 1) +
      (on === scope ? 0 : costOf(on));
    return { ...written(text, words, withOrder(words, other, on), does.filter((one) => one !== '').join(', ')), cost };
  };
  const wider = widerScopes(scope);
  const same = better.map((one) => as(one, scope));
  const wide = wider.flatMap((on) => [
    ...better.map((one) => as(one, on)),
    ...(isPlain ? [] : [as(isAtomic && order === 'none' ? 'relaxed' : order, on)]),
  ]);
  return [...same, ...wide];
}

/** The scopes that help other CTAs and other GPUs. */
function widerScopes(scope: string): readonly string[] {
  return ['gpu', 'sys'].filter((one) => scopes.indexOf(one) > scopes.indexOf(scope));
}

/** A scope of one GPU is cheaper than one of all. */
function costOf(scope: string): number {
  return scope === 'sys' ? 0.5 : 0.4;
}

function betterOrders(words: readonly string[], order: string): readonly string[] {
  const [opcode] = words;
  if (order === 'acq_rel' || order === 'mmio') return [];
  if (opcode === 'atom')
    return order === 'acquire' || order === 'release' ? ['acq_rel'] : ['release', 'acquire', 'acq_rel'];
  if (order === 'acquire' || order === 'release') return [];
  if (opcode === 'ld' || words.includes('ld_reduce')) return ['acquire'];
  return ['release'];
}

/** The words with an order and a scope in place of theirs. */
function withOrder(words: PtxInstruction['words'], order: string, scope: string): readonly string[] {
  const [opcode, ...modifiers] = words;
  const hasOrder = modifiers.some((word) => orders.includes(word));
  // `multimem.red`: the operation is a part of the opcode. Elsewhere, the order comes first.
  const position = opcode === 'multimem' ? 1 : 0;
  const rest = modifiers.flatMap((word, i) => {
    const own = orders.includes(word) || scopes.includes(word) || ofPlainAccesses.test(word) ? [] : [word];
    const isHere = hasOrder ? orders.includes(word) : i === position;
    return isHere ? [order, scope, ...own] : own;
  });
  return [opcode, ...rest];
}

function strongerFence(words: PtxInstruction['words'], text: string): readonly Stronger[] {
  const [opcode, first = ''] = words;
  const on =
    opcode === 'membar' ? ({ cta: 'cta', gl: 'gpu', sys: 'sys' } as Readonly<Record<string, string>>)[first] : words[2];
  const order = opcode === 'membar' ? 'sc' : first;
  if (on === undefined || !scopes.includes(on) || (order !== 'sc' && order !== 'acq_rel')) return [];
  const as = (other: string, scope: string, does: string): Stronger => {
    const bar = scope === 'gpu' ? 'gl' : scope;
    const cost = scope === on ? 1 : 0.5 + costOf(scope);
    return { ...written(text, words, opcode === 'membar' ? ['membar', bar] : ['fence', other, scope], does), cost };
  };
  return [
    ...(order === 'acq_rel' ? [as('sc', on, 'acq_rel -> sc')] : []),
    ...widerScopes(on).map((scope) => as(order, scope, `${on} -> ${scope}`)),
  ];
}

function strongerWait(words: PtxInstruction['words'], text: string): readonly Stronger[] {
  const bare = words.filter((word) => word !== 'read');
  const full = words.includes('read')
    ? [{ ...written(text, words, bare, 'the copies have also been written'), cost: 1 }]
    : [];
  const [, count] = /(\d+)\s*;/u.exec(text) ?? [];
  const fewer = Array.from({ length: Number(count ?? 0) }, (_, i) => {
    const left = Number(count) - 1 - i;
    return { does: `wait_group ${count} -> ${left}`, text: text.replace(/\d+(?=\s*;)/u, String(left)), cost: 1 };
  });
  return [...full, ...fewer];
}
