import type { ShownNote } from '@nccl-ts/ir';
import type { AwaitedWord, DeadlockReport, MissingReason, WaitingThreads } from './deadlock-report.ts';
import type { FoldedWaiting } from './fold-waiting.ts';
import { mbarrierStory } from './mbarrier-story.ts';
import { counted } from './ranges.ts';
import { missedValueHelp } from './missed-value-help.ts';
import { changeText } from './change-text.ts';
import { barrierCall, shownPosition } from './shown-span.ts';
import type { WordChange, WordHistory } from './word-history.ts';
import { barrierName, wordText } from './word-text.ts';

/** The most changes of a word that are told. */
const MOST_CHANGES = 4;

/** The story of a group of waiting threads. */
export interface DeadlockStory {
  readonly notes: readonly ShownNote[];
  /** Advice to its author. The less the weight, the more exactly it names the cause. */
  readonly help: Help | undefined;
}

interface Help {
  readonly weight: number;
  readonly text: string;
}

/** The changes of the words for which a group waits, and advice to its author. */
export function deadlockStory(group: FoldedWaiting, report: DeadlockReport): DeadlockStory {
  const { sample } = group;
  const words = sample.words.flatMap((word) => (word.history === undefined ? [] : [{ word, history: word.history }]));
  const helps = words.flatMap(({ word, history }) => helpFor(sample, word, history, report) ?? []);
  const sync = mbarrierStory(sample)?.help ?? syncHelp(sample, report);
  // Of a barrier, its author knows no words.
  const isShown = ({ place }: AwaitedWord): boolean =>
    place.kind !== 'lsaInbox' && barrierCall(sample.place) === undefined;
  return {
    notes: words.flatMap(({ word, history }) => (isShown(word) ? changesNotes(word, history) : [])),
    help: bestHelp(sync === undefined ? helps : [...helps, { weight: 0, text: sync }]),
  };
}

/** The help that names the cause most exactly; the first of several. */
export function bestHelp(helps: readonly Help[]): Help | undefined {
  return helps.toSorted((a, b) => a.weight - b.weight)[0];
}

function changesNotes(word: AwaitedWord, { changes, instead }: WordHistory): readonly ShownNote[] {
  const at = 'rank' in word.place ? ` at rank ${word.place.rank}` : '';
  if (changes.length === 0) {
    const others = instead.map(({ place, change }) => `${wordText([place])} by ${changeText(change)}`);
    const text = others.length === 0 ? '' : `; what was changed instead: ${others.join(', ')}`;
    return [{ word: 'note', text: `no thread has changed it${at}${text}` }];
  }
  const shown = changes.slice(-MOST_CHANGES);
  const hasLaunches = new Set(shown.map(({ by }) => by.purpose)).size > 1;
  const all = shown.map((one) => `${valueText(one)} by ${changeText(one, hasLaunches)}`);
  const texts = all.filter((text, i) => text !== all[i - 1]);
  return [{ word: 'note', text: `the last changes of it${at}: ${texts.join(', then ')}` }];
}

function valueText({ value, isUpdate }: WordChange): string {
  if (value === undefined) return isUpdate ? 'an addition' : 'a store';
  return `to ${value}`;
}

/** A rank that has not come to an LSA barrier. */
function barrierHelp({ place }: AwaitedWord, report: DeadlockReport): string | undefined {
  if (place.kind !== 'lsaInbox') return undefined;
  const { peerRank, barriers, index } = place;
  const stuck = report.waiting.filter((group) => group.rank === peerRank);
  const elsewhere = stuck
    .flatMap(({ words, place: at }) => words.map((word) => ({ at, inbox: word.place })))
    .find(({ inbox }) => inbox.kind === 'lsaInbox' && (inbox.barriers !== barriers || inbox.index !== index));
  const where =
    elsewhere?.inbox.kind === 'lsaInbox' && elsewhere.at !== undefined
      ? `waits in ${barrierName[elsewhere.inbox.barriers]} ${elsewhere.inbox.index} at ${shownPosition(elsewhere.at)}`
      : whereOf(peerRank, report);
  return `rank ${peerRank} has not arrived at ${barrierName[barriers]} ${index}: it ${where}. All ranks of the team must come to it, with the same index, equally often`;
}

/** Ranks that have not come to a barrier over the network. */
function networkBarrierHelp({ place, rank }: WaitingThreads, report: DeadlockReport): string | undefined {
  if (place === undefined || barrierCall(place) === undefined) return undefined;
  const here = shownPosition(place);
  const isThere = (other: number): boolean =>
    report.waiting.some(
      (group) => group.rank === other && group.place !== undefined && shownPosition(group.place) === here,
    );
  const others = [...report.waiting, ...report.missing].map((one) => one.rank).filter((other) => !isThere(other));
  const ranks = [...new Set(others)].filter((other) => other !== rank).toSorted((a, b) => a - b);
  if (ranks.length === 0) return undefined;
  const texts = ranks.slice(0, MOST_CHANGES).map((other) => `rank ${other} ${whereOf(other, report)}`);
  return `not all ranks come to the barrier at ${here}: ${texts.join(', ')}. All ranks of the team must come to it equally often`;
}

function helpFor(
  sample: WaitingThreads,
  word: AwaitedWord,
  history: WordHistory,
  report: DeadlockReport,
): Help | undefined {
  const { changes } = history;
  const value = typeof word.value === 'boolean' ? undefined : BigInt(word.value);
  const [, relation, wanted] = /^(>=?|) ?(\d+)(?: \(rolling.*)?$/.exec(sample.needed) ?? [];
  const needs = wanted === undefined ? undefined : BigInt(wanted) + (relation === '>' ? 1n : 0n);
  const found = [
    barrierHelp(word, report),
    networkBarrierHelp(sample, report),
    erasedHelp(changes, needs),
    clearedHelp(sample, changes),
    missedValueHelp(sample, history),
    strictHelp(sample, value, changes),
    readHelp(sample, word, history, value, needs),
    lateReadHelp(sample, word, history),
    writerHelp(sample, word, history, report),
  ];
  const weight = found.findIndex((text) => text !== undefined);
  const text = found[weight];
  return text === undefined ? undefined : { weight, text };
}

/** A rank's own store that came after the value for which it waits. */
function clearedHelp({ rank, needed }: WaitingThreads, changes: readonly WordChange[]): string | undefined {
  const [set, clear] = changes.slice(-2);
  if (set === undefined || clear?.value === undefined || clear.isUpdate || set.value === undefined) return undefined;
  const isOwn = clear.by.rank === rank && set.by.rank !== rank && set.by.agent !== 'host';
  const wasEnough = needed === `not ${clear.value}` ? set.value !== clear.value : needed === String(set.value);
  if (!isOwn || !wasEnough) return undefined;
  return (
    `the store of ${clear.value} by ${changeText(clear, true)} overwrote the ${set.value} of ${changeText(set, true)}, for which it now waits: ` +
    'clear the word only before a peer can write it again, such as before a barrier of the ranks, or wait for another value in each round'
  );
}

/** A store that erased what others had added. */
function erasedHelp(changes: readonly WordChange[], needs: bigint | undefined): string | undefined {
  const index = changes.findLastIndex(
    ({ isUpdate, was, value }) => !isUpdate && was !== undefined && value !== undefined && was > value,
  );
  const reset = changes[index];
  const erased = changes[index - 1];
  if (reset === undefined || erased === undefined || !erased.isUpdate || reset.by.rank === erased.by.rank)
    return undefined;
  if (needs !== undefined && reset.was !== undefined && reset.was < needs) return undefined;
  return (
    `the store of ${reset.value} by ${changeText(reset)} erased an arrival: the word had grown to ${reset.was} by ${changeText(erased)}. ` +
    'Do not reset it while ranks may arrive: let it grow, and wait for the next multiple (an epoch), or use two words by turns'
  );
}

/** A wait for more than the value, which is what is written. */
function strictHelp(
  { needed }: WaitingThreads,
  value: bigint | undefined,
  changes: readonly WordChange[],
): string | undefined {
  const last = changes.at(-1);
  if (last === undefined || value === undefined) return undefined;
  const [, least] = /^>= (\d+)$/.exec(needed) ?? [];
  // An addition would have changed it.
  const isSet = changes.length > 1 && changes.every((one) => one.value === value);
  if (least !== undefined && BigInt(least) > value && isSet)
    return (
      `every change of it sets it to ${value}, in each launch or round, and ${least} is never reached: let the value grow ` +
      'with each of them, such as by the number of the launch, or add to it'
    );
  if (needed !== `> ${value}`) return undefined;
  return `${changeText(last)} leaves ${value}, and nothing greater is ever written: wait for >= ${value}, or write a greater value`;
}

/** The awaited value counts from one that was read too late. */
function readHelp(
  { rank, place }: WaitingThreads,
  word: AwaitedWord,
  { read, changes }: WordHistory,
  value: bigint | undefined,
  needs: bigint | undefined,
): string | undefined {
  if (read?.by.place === undefined || value === undefined || needs === undefined || needs <= value) return undefined;
  // A wait does not count from the value that it read in an earlier launch or round.
  const isWait = place !== undefined && shownPosition(read.by.place) === shownPosition(place);
  if (isWait || read.by.polls === true) return undefined;
  const included = changes.findLast(
    (one) => one.value !== undefined && one.value <= read.value && one.by.purpose === read.by.purpose,
  );
  if (included === undefined || included.by.rank === rank) return undefined;
  return (
    `rank ${rank} had read ${read.value} there (at ${shownPosition(read.by.place)}), and in that ${changeText(included)} is counted already, ` +
    `so it waits for more than anyone sends: read ${wordText([word.place])} before a peer can change it, with a barrier of the ranks after the read`
  );
}

/** A wait for a change since a read, which the side made only after it had announced itself. */
function lateReadHelp(
  { needed }: WaitingThreads,
  word: AwaitedWord,
  { read, changes }: WordHistory,
): string | undefined {
  if (read?.after === undefined || needed !== `not ${read.value}` || String(word.value) !== String(read.value))
    return undefined;
  const last = changes.at(-1);
  if (last?.value !== read.value) return undefined;
  const [at, after] = [read.by, read.after].map(({ place }) =>
    place === undefined ? '' : ` at ${shownPosition(place)}`,
  );
  return (
    `it waits for a change of the ${read.value} that it had read${at}, and that is what ${changeText(last)} had made it by then: ` +
    `read ${wordText([word.place])} before the ${read.after.does}${after}, after which the others may change it`
  );
}

const whereText: Readonly<Record<MissingReason, string>> = {
  neverLaunched: 'has launched no kernel',
  ended: 'has ended its kernel',
  failed: 'has failed',
  elsewhere: 'waits elsewhere',
};

/** Says where the ranks are that ought to have changed the word. */
function writerHelp(
  sample: WaitingThreads,
  word: AwaitedWord,
  { changes, instead }: WordHistory,
  report: DeadlockReport,
): string | undefined {
  const by = [...changes, ...instead.map(({ change }) => change)].filter(({ by: { agent } }) => agent !== 'host');
  const others = by.filter(({ by: { rank } }) => rank !== sample.rank);
  const expected = (others.length > 0 ? others : by).map((one) => one.by.rank);
  const ranks = [...new Set(expected)].toSorted((a, b) => a - b);
  const texts = ranks.slice(0, MOST_CHANGES).map((rank) => `rank ${rank} ${whereOf(rank, report)}`);
  if (report.unstarted.length > 0) return undefined;
  if (texts.length === 0)
    return changes.length === 0 ? (stragglersText(sample, report) ?? nobodyText(word, sample.rank)) : undefined;
  const wants = sample.needed.startsWith('not ') ? `anything but ${sample.needed.slice(4)}` : sample.needed;
  const end =
    changes.length === 0
      ? 'write the word that is waited for, or wait for the one that is written'
      : /^(not |[<>]=? )?-?\d+/.test(sample.needed)
        ? `write ${wants} before that, or wait for a value that is written`
        : 'let it be changed before that';
  return `nobody is left to change it: ${texts.join(', ')}; ${end}`;
}

/** Ranks that stand elsewhere, and may have had to change the word. */
function stragglersText(sample: WaitingThreads, report: DeadlockReport): string | undefined {
  if (sample.place === undefined) return undefined;
  const here = shownPosition(sample.place);
  const others = [...report.waiting, ...report.missing].map(({ rank }) => rank).filter((rank) => rank !== sample.rank);
  const texts = [...new Set(others)]
    .toSorted((a, b) => a - b)
    .map((rank) => `rank ${rank} ${whereOf(rank, report)}`)
    .filter((text) => !text.endsWith(` ${here}`));
  return texts.length === 0
    ? undefined
    : `nobody has changed it, and no rank comes to do so: ${texts.slice(0, MOST_CHANGES).join(', ')}`;
}

function nobodyText(word: AwaitedWord, rank: number): string {
  if (word.place.kind === 'gin' && 'index' in word.place.word) {
    const { kind, index } = word.place.word;
    return kind === 'signal'
      ? `no request has changed signal ${index} at rank ${rank}: let the put that is waited for signal it there (gin.strongSignalInc(${index})), or wait for the signal that it changes. One with aggregateRequests is held back until a later request, or a flush`
      : `no request counts in counter ${index}: give it to the put that is waited for ({ localAction: gin.weakCounterInc(${index}) })`;
  }
  return `no thread changes ${wordText([word.place])}: let a rank write it with release after what it announces, or wait for a word that is written`;
}

function whereOf(rank: number, { waiting, missing }: DeadlockReport): string {
  const stuck = waiting.filter((group) => group.rank === rank);
  const at = (stuck.find(({ kind }) => kind !== 'sync') ?? stuck[0])?.place;
  if (at !== undefined) return `itself waits at ${shownPosition(at)}`;
  const reason = missing.find((one) => one.rank === rank)?.reason;
  return reason === undefined ? 'has ended its kernel' : whereText[reason];
}

/** Threads of one CTA that have come to different syncs. */
function syncHelp(sample: WaitingThreads, { waiting }: DeadlockReport): string | undefined {
  if (sample.kind !== 'sync' || sample.place === undefined) return undefined;
  const here = shownPosition(sample.place);
  const inCta = waiting.filter(
    (one) => one.rank === sample.rank && one.launch === sample.launch && one.cta === sample.cta && one !== sample,
  );
  const other = inCta.find(
    (one) => one.kind === 'sync' && one.place !== undefined && shownPosition(one.place) !== here,
  );
  if (other?.place === undefined || inCta.some(({ kind }) => kind !== 'sync')) return undefined;
  const few = countHelp(sample, other) ?? countHelp(other, sample);
  if (few !== undefined) return few;
  const places = [
    `${counted('thread', sample.threads)} at ${here}`,
    `${counted('thread', other.threads)} at ${shownPosition(other.place)}`,
  ].toSorted();
  return (
    `the threads of one CTA wait at different syncs: ${places.join(', ')}. All threads of a group must come to the same ` +
    'sync: move it out of the branch'
  );
}

/** A barrier whose count is not the number of threads that come to it. */
function countHelp(sample: WaitingThreads, other: WaitingThreads): string | undefined {
  const [, more, count] = /^(\d+) more of (\d+) threads/.exec(sample.needed) ?? [];
  if (count === undefined || sample.place === undefined || other.place === undefined) return undefined;
  return (
    `the barrier at ${shownPosition(sample.place)} counts ${count} threads, and ${counted('thread', sample.threads)} wait for ${more} more; ` +
    `${counted('thread', other.threads)} are at ${shownPosition(other.place)}. Let its count be the number of threads that come to it, each time`
  );
}
