import { isNcclError } from '@nccl-ts/core';
import type { AwaitedWord, DeadlockReport, MissingRank, MissingReason, WaitingThreads } from './deadlock-report.ts';
import { foldWaiting, type FoldedWaiting } from './fold-waiting.ts';
import { excerpt } from './kernel-text.ts';
import { counted, ranges } from './ranges.ts';
import { barrierName, ginWordText } from './word-text.ts';

/** Where some go round in loops. */
const LIVELOCK =
  'livelock: kernels go round in loops, the same state comes again and again, and every host program waits or is done';

/** Places that are printed in full; beyond, only the ranks are named. */
const MOST_PLACES = 16;

/** The report as text: who waits where and for what, alike groups once, every rank named; then who is missing. */
export function renderDeadlock(report: DeadlockReport): string {
  const folded = foldWaiting(report.waiting);
  const rest = folded.slice(MOST_PLACES).flatMap((group) => group.members);
  const parts = [
    report.livelock === true ? LIVELOCK : 'deadlock: no kernel can go on, and every host program waits or is done',
    ...folded.slice(0, MOST_PLACES).map(renderGroup),
    ...(rest.length === 0
      ? []
      : [`${rest.length} more groups of threads wait, of ${counted('rank', rest.map(rankOf))}`]),
    ...renderUnstarted(report),
    ...renderQueued(report),
    ...(report.missing.length === 0 ? [] : [renderMissing(report.missing)]),
  ];
  return parts.join('\n\n');
}

function rankOf(part: { readonly rank: number }): number {
  return part.rank;
}

function renderGroup({ sample, members }: FoldedWaiting): string {
  const lines = [
    `kernel ${sample.kernel}${sample.label === undefined ? '' : ` (${sample.label})`}: ${membersText(members)}, ${counted('thread', sample.threads)}, ${doing[sample.kind]}`,
  ];
  if (sample.place !== undefined) lines.push(excerpt(sample.place));
  sample.words.forEach((word, index) => {
    const alike = members.flatMap((member) => member.words[index] ?? []);
    lines.push(`  ${wordText(word, alike)} is ${String(word.value)} (${word.type})`);
  });
  const indices = new Set(members.map((member) => ranges(member.indices ?? [])));
  if (indices.size === 1 && sample.indices !== undefined) lines.push(`  not yet: ${ranges(sample.indices)}`);
  lines.push(`  needed: ${sample.needed}`);
  return lines.join('\n');
}

/** `ranks 0-2, CTAs 0-7`, each set of CTAs with the ranks that have it. */
function membersText(members: readonly WaitingThreads[]): string {
  const ctasOf = new Map<number, number[]>();
  for (const { rank, cta } of members) {
    const ctas = ctasOf.get(rank);
    if (ctas === undefined) ctasOf.set(rank, [cta]);
    else ctas.push(cta);
  }
  const ranksOf = new Map<string, number[]>();
  for (const [rank, ctas] of ctasOf) {
    const text = counted('CTA', ctas);
    const ranks = ranksOf.get(text);
    if (ranks === undefined) ranksOf.set(text, [rank]);
    else ranks.push(rank);
  }
  return [...ranksOf].map(([ctas, ranks]) => `${counted('rank', ranks)}, ${ctas}`).join('; ');
}

const doing: Readonly<Record<WaitingThreads['kind'], string>> = {
  wait: 'waiting',
  waitAll: 'waiting for all of several',
  sync: 'held up in a sync',
  collective: 'held up in a collective',
  spin: 'going round in a loop',
};

function wordText({ place }: AwaitedWord, alike: readonly AwaitedWord[]): string {
  const offsets = alike.flatMap((word) => ('offset' in word.place ? [word.place.offset] : []));
  switch (place.kind) {
    case 'window':
      return `${place.window}, ${counted('byte', offsets)} of ${counted('rank', copies(alike))}'s copy,`;
    case 'lsaInbox': {
      const indices = alike.flatMap((word) => (word.place.kind === 'lsaInbox' ? [word.place.index] : []));
      return `${counted(barrierName[place.barriers], indices)}, inbox of LSA peer ${place.peer} (rank ${place.peerRank}),`;
    }
    case 'gin': {
      const words = alike.flatMap((word) => (word.place.kind === 'gin' ? [word.place.word] : []));
      return `${ginWordText(place.word, words)} of GIN context ${place.word.context} at ${counted('rank', copies(alike))},`;
    }
    case 'array':
      return `a ${place.space} array, ${counted('byte', offsets)},`;
    case 'unknown':
      return 'memory that is in no window any more,';
  }
}

function copies(words: readonly AwaitedWord[]): number[] {
  return words.flatMap(({ place }) => ('rank' in place ? [place.rank] : []));
}

function renderUnstarted({ unstarted }: DeadlockReport): string[] {
  return unstarted.map(
    ({ kernel, rank, ctas, grid, residentCtas }) =>
      `kernel ${kernel}: rank ${rank}, ${ctas} of ${grid} CTAs have not started: the device holds ${residentCtas} at once`,
  );
}

function renderQueued({ queued }: DeadlockReport): string[] {
  if (queued.length === 0) return [];
  const launches = queued.length === 1 ? '1 launch stands' : `${queued.length} launches stand`;
  return [`${launches} behind these on the streams of ${counted('rank', queued.map(rankOf))}`];
}

const reasons: Readonly<Record<MissingReason, (missing: MissingRank) => string>> = {
  neverLaunched: () => 'no kernel launched',
  ended: ({ kernel }) => `no kernel running, the last one (${kernel}) has ended`,
  failed: ({ kernel, failure }) =>
    `no kernel running, the last one (${kernel}) has failed: ${isNcclError(failure) ? firstLine(failure.message) : ''}`,
  elsewhere: ({ kernel }) => `waiting elsewhere, in kernel ${kernel}`,
};

/** One line for all ranks of which the same is to be said. */
function renderMissing(missing: readonly MissingRank[]): string {
  const ranksOf = new Map<string, number[]>();
  for (const one of missing) {
    const awaited = one.awaitedBy.length === 0 ? '' : `; awaited by ${counted('rank', one.awaitedBy)}`;
    const text = `${reasons[one.reason](one)}; host program ${one.host}${awaited}`;
    const ranks = ranksOf.get(text);
    if (ranks === undefined) ranksOf.set(text, [one.rank]);
    else ranks.push(one.rank);
  }
  return [...ranksOf].map(([text, ranks]) => `missing: ${counted('rank', ranks)}: ${text}`).join('\n');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
