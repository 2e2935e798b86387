import {
  deadlockHelp,
  type DeadlockReport,
  type Finding,
  type FindingLabel,
  type MissingRank,
  type WaitingThreads,
  type WordMeaning,
} from '@nccl-ts/findings';
import type { DeadlockLane, DeadlockPicture } from '../protocol.ts';
import { lineAt } from './line-at.ts';

/** A deadlock by rank. `findings` are those of its report. */
export function deadlockPicture(report: DeadlockReport, findings: readonly Finding[]): DeadlockPicture {
  const help = deadlockHelp(report);
  return {
    cause: causeOf(report),
    ...(help === undefined ? {} : { help: sentenceOf(help) }),
    lanes: lanesOf(report),
    leads: leadsOthers(report, findings),
  };
}

/** The waits of a deadlock, one for each line and awaited value. */
export function waitLabels({ waiting }: DeadlockReport): readonly FindingLabel[] {
  const groups = new Map<string, WaitingThreads[]>();
  for (const group of waiting) {
    if (group.place === undefined) continue;
    const key = `${group.kernel} ${lineAt(group.place)} ${group.needed}`;
    groups.set(key, [...(groups.get(key) ?? []), group]);
  }
  return [...groups.values()].flatMap((group): readonly FindingLabel[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { kernel, launch, rank, place: location } = first;
    const ranks = [...new Set(group.map((one) => one.rank))];
    const does = `${ranks.length === 1 ? 'waits' : 'wait'} ${forWhat(group)}`;
    return [{ agent: 'thread', kernel, launch, rank, does, ...(location === undefined ? {} : { place: location }) }];
  });
}

/** The ranks that never come to where others wait. */
function causeOf({ missing, unstarted, waiting, livelock }: DeadlockReport): string {
  const [stuck] = unstarted;
  if (stuck !== undefined) {
    const { rank, ctas, grid, residentCtas } = stuck;
    const others = grid > residentCtas ? '' : ', and another kernel has a place that they need';
    return `${ctas} of ${grid} CTAs of rank ${rank} ${ctas === 1 ? 'never starts' : 'never start'}: the device holds ${residentCtas} at once${others}.`;
  }
  const awaited = missing.filter(({ awaitedBy }) => awaitedBy.length > 0);
  const gone = (awaited.length > 0 ? awaited : missing).filter(({ reason }) => reason !== 'elsewhere');
  const isBarrier = waiting.some(({ words }) => words.some(({ place }) => place.kind === 'lsaInbox'));
  if (gone.length === 0) {
    if (livelock === true) return 'The ranks repeat the same states in loops, and none of them ends.';
    return stuckText(waiting);
  }
  const ranks = gone.map(({ rank }) => rank);
  const reasons = new Set(gone.map(whyGone));
  const comes = isBarrier
    ? ranks.length === 1
      ? 'never comes'
      : 'never come'
    : ranks.length === 1
      ? 'does nothing more'
      : 'do nothing more';
  const name = named(ranks);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${comes}: ${[...reasons].join('; ')}.`;
}

/** Whom the threads wait for, if every rank has one that waits. */
function stuckText(waiting: readonly WaitingThreads[]): string {
  if (waiting.every(({ words }) => words.length === 0))
    return 'Threads of one CTA wait for each other at different places, so none of them goes on.';
  const isOwn = waiting.every(({ rank, words }) =>
    words.every(({ place }) => place.kind === 'window' && place.rank === rank),
  );
  return isOwn
    ? 'Each rank waits for a word of its own memory, which no thread writes any more.'
    : 'Every rank waits for another one, so no rank goes on.';
}

function whyGone({ reason, kernel }: MissingRank): string {
  switch (reason) {
    case 'neverLaunched':
      return 'it has launched no kernel';
    case 'ended':
      return `its kernel${kernel === undefined ? '' : ` ${kernel}`} has ended`;
    case 'failed':
      return `its kernel${kernel === undefined ? '' : ` ${kernel}`} has failed`;
    case 'elsewhere':
      return 'it waits elsewhere';
  }
}

function lanesOf({ waiting, missing }: DeadlockReport): readonly DeadlockLane[] {
  const ranks = [...new Set([...waiting, ...missing].map(({ rank }) => rank))].toSorted((a, b) => a - b);
  return ranks.map((rank) => {
    const own = waiting.filter((group) => group.rank === rank);
    const [first] = own;
    if (first === undefined) {
      const found = missing.find((one) => one.rank === rank);
      return { rank, state: 'gone', text: found === undefined ? 'it does nothing' : whyGone(found) };
    }
    const alike = own.filter(({ place }) => place === first.place || lineOf(place) === lineOf(first.place));
    const line = lineOf(first.place);
    return { rank, state: 'waits', text: `waits ${forWhat(alike)}`, ...(line === undefined ? {} : { line }) };
  });
}

function lineOf(location: WaitingThreads['place']): number | undefined {
  return location === undefined ? undefined : lineAt(location);
}

/** `at barrier 0 for rank 1`, or `for 1 in element 4 of window 0`. */
function forWhat(groups: readonly WaitingThreads[]): string {
  const [first] = groups;
  const [word] = first?.words ?? [];
  if (first === undefined || word === undefined) return 'for the other threads';
  const { place: meaning } = word;
  if (meaning.kind === 'lsaInbox') {
    const peers = groups.flatMap(({ words }) =>
      words.flatMap(({ place }) => (place.kind === 'lsaInbox' ? [place.peerRank] : [])),
    );
    return `at barrier ${meaning.index} for ${named(peers)}`;
  }
  const value = first.needed.replace(/ \(rolling.*/, '');
  return `for ${value.startsWith('not ') ? `anything but ${value.slice('not '.length)}` : value} in ${wordName(meaning)}`;
}

function wordName(meaning: WordMeaning): string {
  switch (meaning.kind) {
    case 'window':
      return `${meaning.window} of rank ${meaning.rank}, byte ${meaning.offset}`;
    case 'gin':
      return `a ${meaning.word.kind} of rank ${meaning.rank}`;
    case 'lsaInbox':
      return `the inbox of rank ${meaning.rank}`;
    case 'array':
      return `${meaning.space} memory`;
    case 'unknown':
      return 'freed memory';
  }
}

/** `rank 1`, or `ranks 1, 2 and 4`. */
function named(given: readonly number[]): string {
  const ranks = [...new Set(given)].toSorted((a, b) => a - b);
  const last = ranks.at(-1);
  return ranks.length < 2 ? `rank ${last}` : `ranks ${ranks.slice(0, -1).join(', ')} and ${last}`;
}

/**
 * A race on the very word that a thread waits for may be the cause of its wait. Any other race of a
 * schedule that ends in a deadlock may follow from it: what would order the accesses is not
 * reached.
 */
function leadsOthers({ waiting }: DeadlockReport, findings: readonly Finding[]): boolean {
  const awaited = waiting.flatMap(({ words }) => words.map(({ place }) => place));
  return !findings.some(({ kind, bytes }) => {
    if (kind !== 'race' || bytes?.place.kind !== 'window') return false;
    const { window, rank, offset } = bytes.place;
    return awaited.some(
      (one) =>
        one.kind === 'window' &&
        one.window === window &&
        one.rank === rank &&
        one.offset < offset + bytes.bytes &&
        offset < one.offset + 8,
    );
  });
}

function sentenceOf(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
