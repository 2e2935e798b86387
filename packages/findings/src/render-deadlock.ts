import { isNcclError } from '@nccl-ts/core';
import { renderSections, type RenderOptions, type ShownNote, type ShownSection } from '@nccl-ts/ir';
import type { DeadlockReport, MissingRank, MissingReason, WaitingThreads } from './deadlock-report.ts';
import { foldWaiting, type FoldedWaiting } from './fold-waiting.ts';
import { counted, ranges } from './ranges.ts';
import { shownLabels, shownSpan, callPathNotes } from './shown-span.ts';
import { bestHelp, deadlockStory } from './deadlock-story.ts';
import { mbarrierStory } from './mbarrier-story.ts';
import { wordText } from './word-text.ts';

/** The headline if some threads run in loops. */
const LIVELOCK = 'livelock: kernels repeat the same states in loops, and every host program waits or has ended';

/** The most locations that are printed in full. For the rest, only the ranks are named. */
const MOST_PLACES = 16;

/**
 * Renders the report as text: the waits, with equal groups merged and every rank named, then the
 * missing ranks.
 */
export function renderDeadlock(report: DeadlockReport, options: RenderOptions = {}): string {
  const head =
    report.livelock === true ? LIVELOCK : 'deadlock: no kernel can go on, and every host program waits or is done';
  const { groups, notes } = deadlockParts(report);
  const body = renderSections([...groups, { labels: [], notes }], 'error', options);
  return body === '' ? head : `${head}\n${body}`;
}

/**
 * Returns the advice that names the cause most exactly, such as the rank that does not come to a
 * barrier and the reason. `undefined` if the report shows no cause.
 */
export function deadlockHelp(report: DeadlockReport): string | undefined {
  return bestHelp(foldWaiting(report.waiting).flatMap((group) => deadlockStory(group, report).help ?? []))?.text;
}

/** The text below the headline: the groups of waiting threads, and notes about all of them. */
export function deadlockParts(report: DeadlockReport): {
  readonly groups: readonly ShownSection[];
  readonly notes: readonly ShownNote[];
} {
  const folded = foldWaiting(report.waiting);
  const rest = folded.slice(MOST_PLACES).flatMap((group) => group.members);
  const more = `${rest.length} more groups of threads wait, of ${counted('rank', rest.map(rankOf))}`;
  return {
    groups: groupSections(folded.slice(0, MOST_PLACES), report),
    notes: [
      ...(rest.length > 0 ? [note(more)] : []),
      ...unstartedNotes(report),
      ...queuedNotes(report),
      ...missingNotes(report.missing),
    ],
  };
}

function note(text: string): ShownNote {
  return { word: 'note', text };
}

function rankOf(part: { readonly rank: number }): number {
  return part.rank;
}

/**
 * Makes a section for each line at which threads wait. It shows the first group at the line, and
 * the others below.
 */
function groupSections(groups: readonly FoldedWaiting[], report: DeadlockReport): readonly ShownSection[] {
  const told = new Set<string>();
  const lines = new Map<string, FoldedWaiting[]>();
  for (const group of groups) {
    const { place: location } = group.sample;
    const shown = location === undefined ? undefined : shownSpan(location);
    const key = JSON.stringify([shown?.home, shown?.row, shown?.quote.start, shown?.quote.end]);
    const known = lines.get(key);
    if (known === undefined) lines.set(key, [group]);
    else known.push(group);
  }
  return [...lines.values()].map((atLine): ShownSection => {
    const [first] = atLine;
    const labels = first === undefined ? [] : shownLabels(first.sample.place, whoText(first));
    const stories = atLine.map((group) => deadlockStory(group, report));
    const notes = atLine.flatMap((group, i) => {
      const isAtLine = group === first && labels.length > 0;
      // A note that holds for the whole line is said once.
      const story = (stories[i]?.notes ?? []).filter(({ text }) => !told.has(text));
      for (const { text } of story) told.add(text);
      return [...(isAtLine ? [] : [note(whoText(group))]), ...waitNotes(group), ...story];
    });
    const help = bestHelp(stories.flatMap((one) => one.help ?? []));
    if (help !== undefined && !told.has(help.text)) notes.push({ word: 'help', text: help.text });
    if (help !== undefined) told.add(help.text);
    return { labels, notes: [...notes, ...callPathNotes(atLine.map(({ sample }) => sample.place))] };
  });
}

function whoText({ sample, members }: FoldedWaiting): string {
  const { kernel, label, threads, kind } = sample;
  const name = `kernel ${kernel}${label === undefined ? '' : ` (${label})`}`;
  return `${name}: ${membersText(members)}, ${counted('thread', threads)}, ${doing[kind]}`;
}

/** Formats the needed value as `waits for >= 5`. `not 0` becomes a wait for anything but 0. */
function waitsFor(needed: string): string {
  return needed.startsWith('not ') ? `waits for anything but ${needed.slice('not '.length)}` : `waits for ${needed}`;
}

/** The awaited value, and the current one. */
function waitNotes({ sample, members }: FoldedWaiting): readonly ShownNote[] {
  const mbarrier = mbarrierStory(sample);
  if (mbarrier !== undefined) return [note(mbarrier.note)];
  const words = sample.words.map((word, index) => {
    const alike = members.flatMap((member) => member.words[index]?.place ?? []);
    return { what: wordText([word.place, ...alike]), is: `is ${String(word.value)} (${word.type})` };
  });
  const [only] = words;
  const notes =
    only !== undefined && words.length === 1
      ? [note(`${only.what}: ${waitsFor(sample.needed)}, ${only.is}`)]
      : [...words.map(({ what, is }) => note(`${what} ${is}`)), note(waitsFor(sample.needed))];
  const indices = new Set(members.map((member) => ranges(member.indices ?? [])));
  // A group's wait for one word has the one index 0.
  const isOne = sample.indices?.length === 1 && sample.indices[0] === 0;
  const hasIndices = indices.size === 1 && sample.indices !== undefined && !isOne;
  return hasIndices ? [...notes, note(`not yet: ${ranges(sample.indices)}`)] : notes;
}

/** Formats ranks and CTAs as `ranks 0-2, CTAs 0-7`, with each set of CTAs after its ranks. */
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
  waitAll: 'waiting',
  sync: 'blocked in a sync',
  collective: 'blocked in a collective',
  spin: 'repeating a loop',
};

function unstartedNotes({ unstarted }: DeadlockReport): readonly ShownNote[] {
  const notes = unstarted.map(({ kernel, rank, ctas, grid, residentCtas }) =>
    note(
      `kernel ${kernel}: rank ${rank}, ${ctas} of ${grid} CTAs have not started, because the device holds only ${residentCtas} at once`,
    ),
  );
  if (notes.length === 0) return notes;
  const help =
    'a CTA that has not started can come to no barrier and write no flag: launch no more CTAs than the device holds, and cooperatively, which checks that';
  return [...notes, { word: 'help', text: help }];
}

function queuedNotes({ queued }: DeadlockReport): readonly ShownNote[] {
  if (queued.length === 0) return [];
  const launches = queued.length === 1 ? '1 launch waits' : `${queued.length} launches wait`;
  return [note(`${launches} behind them on the streams of ${counted('rank', queued.map(rankOf))}`)];
}

const reasons: Readonly<Record<MissingReason, (missing: MissingRank) => string>> = {
  neverLaunched: () => 'no kernel launched',
  ended: ({ kernel }) => `no kernel running, the last one (${kernel}) has ended`,
  failed: ({ kernel, failure }) =>
    `no kernel running, the last one (${kernel}) has failed: ${isNcclError(failure) ? firstLine(failure.message) : ''}`,
  elsewhere: ({ kernel }) => `waiting elsewhere, in kernel ${kernel}`,
};

/** Makes one line for all ranks with the same state. */
function missingNotes(missing: readonly MissingRank[]): readonly ShownNote[] {
  const ranksOf = new Map<string, number[]>();
  for (const one of missing) {
    const awaited = one.awaitedBy.length === 0 ? '' : `; awaited by ${counted('rank', one.awaitedBy)}`;
    const text = `${reasons[one.reason](one)}; host program ${one.host}${awaited}`;
    const ranks = ranksOf.get(text);
    if (ranks === undefined) ranksOf.set(text, [one.rank]);
    else ranks.push(one.rank);
  }
  return [...ranksOf].map(([text, ranks]) => ({ word: 'missing', text: `${counted('rank', ranks)}: ${text}` }));
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
