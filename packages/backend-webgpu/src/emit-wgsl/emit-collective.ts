import { NcclError, WARP_SIZE } from '@nccl-ts/core';
import { valueBytes, type CollectiveStatement, type Coop, type Type, type ValueType } from '@nccl-ts/ir';
import type { WgslEmitContext } from './context.ts';
import { emitExpression } from './emit-expression.ts';
import { stateWords, rawType } from './value-type.ts';
import { packed, unpacked } from './vectors.ts';

/** True if a collective concerns a single thread, or needs no synchronization. */
export function isSolo(s: CollectiveStatement): boolean {
  return s.op === 'activeMask' || (s.coop.kind === 'tile' && s.coop.size === 1);
}

/** Returns the result of a collective with a single thread. */
export function soloCollective(s: CollectiveStatement, c: WgslEmitContext): string {
  if (s.op === 'activeMask') return warpMask(c);
  if (s.value === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `${s.op} has no value.`);
  const value = emitExpression(s.value, c);
  return s.op === 'ballot' ? `select(0u, 1u, ${value})` : value;
}

function warpMask(c: WgslEmitContext): string {
  const { threads } = c.facts;
  if (threads % WARP_SIZE === 0) return '0xffffffffu';
  const last = threads - (threads % WARP_SIZE);
  return `select(0xffffffffu, ${2 ** (threads % WARP_SIZE) - 1}u, nts_thread >= ${last}u)`;
}

/** Returns the number of words that each thread of a CTA exchanges for a collective. */
export function exchangedWords(s: CollectiveStatement, checks: boolean): number {
  return s.value === undefined || votes(s) ? 1 : stateWords(s.value.type, checks);
}

/**
 * `any` and `all` of the whole CTA are counted; other collectives read the contributions of the
 * other threads.
 */
export function votes(s: CollectiveStatement): boolean {
  return s.coop.kind === 'cta' && (s.op === 'any' || s.op === 'all');
}

/** Emits a thread's contribution to a collective. */
export function emitBring(s: CollectiveStatement, c: WgslEmitContext): void {
  c.span = s.span;
  if (s.value === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `${s.op} has no value.`);
  const value = emitExpression(s.value, c);
  if (votes(s)) {
    c.line(`if (${s.op === 'any' ? value : `!${value}`}) { atomicOr(&nts_votes, 1u); }`);
    return;
  }
  const words = bitWords(s.value.type, value, c);
  words.forEach((word, i) => c.line(`nts_exchanged[nts_thread * ${words.length}u + ${i}u] = ${word};`));
}

/** Emits the code with which a thread takes its result, once all threads have contributed. */
export function emitTake(s: CollectiveStatement, c: WgslEmitContext): void {
  c.span = s.span;
  if (votes(s)) {
    c.line(`${c.local(s.local)} = atomicLoad(&nts_votes) ${s.op === 'any' ? '!=' : '=='} 0u;`);
    return;
  }
  if (s.value === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `${s.op} has no value.`);
  const group = groupText(s.coop, c);
  switch (s.op) {
    case 'any':
    case 'all':
    case 'ballot':
      c.helper(`nts_${s.op}`, polls[s.op]);
      c.line(`${c.local(s.local)} = nts_${s.op}(${group.base}, ${group.count}, ${group.mask});`);
      return;
    case 'bcast':
    case 'shfl':
    case 'shflUp':
    case 'shflDown':
    case 'shflXor': {
      if (s.lane === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `${s.op} has no lane.`);
      const lane = emitExpression(s.lane, c);
      c.line(`let nts_source = ${sourceText(s, lane, group, c)};`);
      const words = stateWords(s.value.type, c.checks);
      const parts = Array.from({ length: words }, (_, i) => `nts_exchanged[nts_source * ${words}u + ${i}u]`);
      c.line(`${c.local(s.local)} = ${valueOf(s.value.type, parts, c)};`);
      return;
    }
    case 'activeMask':
      throw new NcclError('NCCL_INTERNAL_ERROR', 'activeMask needs no meeting.');
  }
}

interface GroupText {
  readonly base: string;
  readonly count: string;
  readonly mask: string;
}

/**
 * Returns the threads in the current thread's group: `count` threads starting at `base`, of which
 * `mask` selects some.
 */
export function groupText(coop: Coop, c: WgslEmitContext): GroupText {
  const { threads } = c.facts;
  switch (coop.kind) {
    case 'cta':
      return { base: '0u', count: `${threads}u`, mask: '0xffffffffu' };
    case 'tile':
    case 'lanes': {
      const size = coop.kind === 'tile' ? coop.size : WARP_SIZE;
      const base = `(nts_thread & ~${size - 1}u)`;
      const count = threads % size === 0 ? `${size}u` : `min(${size}u, ${threads}u - ${base})`;
      return { base, count, mask: coop.kind === 'tile' ? '0xffffffffu' : emitExpression(coop.mask, c) };
    }
    case 'warpSpan': {
      const base = `(${emitExpression(coop.first, c)} * 32u)`;
      return {
        base,
        count: `min(${emitExpression(coop.count, c)} * 32u, ${threads}u - ${base})`,
        mask: '0xffffffffu',
      };
    }
  }
}

/** Returns the thread's rank in its group, and the group's size. */
export function rankAndSize(coop: Coop, c: WgslEmitContext): { readonly rank: string; readonly size: string } {
  const { base, count, mask } = groupText(coop, c);
  if (coop.kind === 'lanes') {
    return {
      rank: `countOneBits(${mask} & ((1u << (nts_thread & 31u)) - 1u))`,
      size: `countOneBits(${mask})`,
    };
  }
  return { rank: base === '0u' ? 'nts_thread' : `(nts_thread - ${base})`, size: count };
}

function sourceText(s: CollectiveStatement, lane: string, group: GroupText, c: WgslEmitContext): string {
  const { threads } = c.facts;
  const size = s.coop.kind === 'tile' ? s.coop.size : 32;
  switch (s.op) {
    case 'bcast':
      c.helper('nts_member', member);
      return `nts_member(${lane}, ${group.base}, ${group.count}, ${group.mask}, ${c.site('collective')}u)`;
    case 'shfl':
      return chosen(`(nts_thread & ~${size - 1}u) + (${lane} & ${size - 1}u)`, `< ${threads}u`, c);
    case 'shflUp':
      return `select(nts_thread - ${lane}, nts_thread, ${lane} > (nts_thread & ${size - 1}u))`;
    case 'shflDown':
      return `select(nts_thread + ${lane}, nts_thread, ((nts_thread & ${size - 1}u) + min(${lane}, 64u) >= ${size}u) | (nts_thread + min(${lane}, 64u) >= ${threads}u))`;
    case 'activeMask':
    case 'all':
    case 'any':
    case 'ballot':
    case 'shflXor':
      return `select(nts_thread, nts_thread ^ ${lane}, (${lane} < ${size}u) & ((nts_thread ^ ${lane}) < ${threads}u))`;
  }
}

function chosen(source: string, fits: string, c: WgslEmitContext): string {
  const name = c.temporary();
  c.line(`let ${name} = ${source};`);
  return `select(nts_thread, ${name}, ${name} ${fits})`;
}

/** The functions of the values that the members of a group contribute. */
const polls: Readonly<Record<'any' | 'all' | 'ballot', () => string>> = {
  any: () => poll('any', 'bool', '!= 0u', 'return true;', 'false'),
  all: () => poll('all', 'bool', '== 0u', 'return false;', 'true'),
  ballot: () => poll('ballot', 'u32', '!= 0u', 'result |= 1u << i;', 'result'),
};

function poll(name: string, type: string, test: string, act: string, result: string): string {
  return [
    `fn nts_${name}(base: u32, count: u32, mask: u32) -> ${type} {`,
    ...(result === 'result' ? ['  var result = 0u;'] : []),
    '  for (var i = 0u; i < count; i++) {',
    `    if ((((mask >> (i & 31u)) & 1u) != 0u) & (nts_exchanged[base + i] ${test})) { ${act} }`,
    '  }',
    `  return ${result};`,
    '}',
  ].join('\n');
}

const member = (): string =>
  [
    'fn nts_member(lane: u32, base: u32, count: u32, mask: u32, site: u32) -> u32 {',
    '  if ((count > 32u) | (mask == 0xffffffffu)) {',
    '    nts_fault(site, select(0u, nts_no_lane, lane >= count));',
    '    return base + min(lane, count - 1u);',
    '  }',
    '  var before = 0u;',
    '  for (var i = 0u; i < count; i++) {',
    '    if (((mask >> i) & 1u) == 0u) { continue; }',
    '    if (before == lane) { return base + i; }',
    '    before += 1u;',
    '  }',
    '  nts_fault(site, nts_no_lane);',
    '  return base;',
    '}',
  ].join('\n');

/** Returns the words that store a value of any type. */
export function bitWords(type: Type, value: string, c: WgslEmitContext): readonly string[] {
  if (type.kind === 'handle') return [value];
  if (type.kind === 'pointer') return c.checks ? [`(${value}).x`, `(${value}).y`] : [value];
  const bytes = valueBytes(type);
  if (bytes <= 4) return [packed(type, value, c)];
  const name = c.temporary();
  c.line(`let ${name} = ${packed(type, value, c)};`);
  return Array.from({ length: bytes / 4 }, (_, i) => `${name}[${i}]`);
}

/** Returns the value that these words store. */
export function valueOf(type: Type, words: readonly string[], c: WgslEmitContext): string {
  if (type.kind === 'handle') return words[0] ?? '0u';
  if (type.kind === 'pointer') return c.checks ? `vec2u(${words.join(', ')})` : (words[0] ?? '0u');
  return unpacked(type, rawOf(type, words), c);
}

function rawOf(type: ValueType, words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '0u') : `${rawType(valueBytes(type))}(${words.join(', ')})`;
}
