import type { Span } from '@nccl-ts/ir';
import type { AwaitedWord, WaitingThreads } from './deadlock-report.ts';
import { ranges } from './ranges.ts';
import type { WordMeaning } from './word-meaning.ts';

/** Groups of threads that wait at one source location in the same way, over CTAs and ranks. */
export interface FoldedWaiting {
  /** Any wait of the group. */
  readonly sample: WaitingThreads;
  readonly members: readonly WaitingThreads[];
}

/**
 * Merges waits that differ only in rank, launch, CTA, indices and the position of words. Keeps the
 * order.
 */
export function foldWaiting(waiting: readonly WaitingThreads[]): FoldedWaiting[] {
  const folded = new Map<string, { readonly sample: WaitingThreads; readonly members: WaitingThreads[] }>();
  for (const group of waiting) {
    const key = keyOf(group);
    const known = folded.get(key);
    if (known === undefined) folded.set(key, { sample: group, members: [group] });
    else known.members.push(group);
  }
  return [...folded.values()];
}

function keyOf(group: WaitingThreads): string {
  return JSON.stringify([
    group.kernel,
    group.label,
    spanKey(group.place?.span),
    group.kind,
    ranges(group.threads),
    group.words.map(wordKey),
    group.needed,
  ]);
}

function spanKey(span: Span | undefined): readonly unknown[] {
  return span === undefined ? [] : [span.source, span.start, span.end, spanKey(span.inlinedAt)];
}

function wordKey({ place: meaning, type, value }: AwaitedWord): readonly (string | number)[] {
  return [...meaningKey(meaning), type, String(value)];
}

function meaningKey(meaning: WordMeaning): readonly (string | number)[] {
  switch (meaning.kind) {
    case 'window':
      return [meaning.kind, meaning.window];
    case 'lsaInbox':
      return [meaning.kind, meaning.window, meaning.barriers, meaning.peer, meaning.peerRank];
    case 'gin':
      return [meaning.kind, meaning.window, meaning.word.kind, meaning.word.context];
    case 'array':
      return [meaning.kind, meaning.space];
    case 'unknown':
      return [meaning.kind];
  }
}
