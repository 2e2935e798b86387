import { shownPosition, wordText, type FindingLabel, type MissingIngredient } from '@nccl-ts/findings';
import { ctaText, isSameCta } from '../cta-text.ts';
import { ASYNC, BULK, readsSource } from '../episodes.ts';
import { isSameLocation, oneStatementText } from '../ingredient-text.ts';
import { FABRIC } from '../participants.ts';
import { syncOf, wordsFor } from '../source-words.ts';
import { weakOrderText } from '../weak-order-text.ts';
import type { NearMiss, StoryChange, StoryWait } from './near-miss.ts';

/** The reasons for which something may come nearer: all others name what is too weak. */
const openReasons: ReadonlySet<MissingIngredient['kind']> = new Set(['synchronisation', 'completion']);

/**
 * The missing synchronization of two accesses, told by the one that comes nearest. Of two
 * operations of the network, and of what is too weak, nothing comes nearer.
 */
export function withNearMiss(
  missing: readonly MissingIngredient[],
  labels: readonly FindingLabel[],
  find: () => NearMiss | undefined,
): readonly MissingIngredient[] {
  const [nearest] = missing;
  if (nearest === undefined || !openReasons.has(nearest.kind)) return missing;
  if (labels.every(({ agent }) => agent === 'network')) return missing;
  // A wait at the target says nothing of the source. One for a counter does.
  const isSource = labels.some(readsSource);
  if (labels.some(({ does }) => [BULK, ASYNC].some((by) => does.endsWith(by)) || does.startsWith(FABRIC)))
    return missing;
  // The own rank waits for the bytes of a get.
  if (labels.some(({ agent, does }) => agent === 'network' && does.startsWith('get '))) return missing;
  const miss = find();
  return miss === undefined || (isSource && !(isEarly(miss) && counts(miss.wait)))
    ? missing
    : Object.freeze([nearMissText(miss, nearest.kind)]);
}

/** True if a wait ends before the change that ought to have been waited for. */
function isEarly({ why }: NearMiss): boolean {
  return why === 'initial' || why === 'stale' || why === 'low';
}

/** True for a wait for a counter of the network. */
function counts(wait: StoryWait | undefined): boolean {
  return wait?.place.kind === 'gin' && wait.place.word.kind === 'counter';
}

function nearMissText(miss: NearMiss, kind: MissingIngredient['kind']): MissingIngredient {
  const nearest =
    miss.why === 'weak' ? weakOf(miss.wait, miss.change) : miss.why === 'unlocked' ? miss.change : miss.wait;
  const by = (linkEnd(miss) ?? nearest ?? miss.change)?.by;
  return Object.freeze({
    kind: miss.why === 'ahead' ? 'coop-sync' : kind,
    message: `${messageOf(miss)}${oneStatementText(miss.first.label, miss.second.label)}`,
    today: todayOf(miss),
    ...(by?.place === undefined ? {} : { at: by }),
  });
}

function todayOf({ why }: NearMiss): string {
  switch (why) {
    case 'crossed':
      return 'each side writes a word and then reads the word of the other, and neither has seen the write of the other';
    case 'initial':
    case 'stale':
    case 'again':
    case 'low':
      return 'a wait stands between the two, but ends before the first of them is over';
    case 'reuse':
      return 'the second access is for the next round, and does not wait for the first';
    case 'weak':
      return 'a flag or barrier connects the two accesses, but its order is too weak';
    case 'link':
      return 'flags connect the two accesses by way of another CTA or rank, but the order of one of them is too weak';
    case 'ahead':
      return 'another thread of the first side tells the second that it is done, and the two threads do not meet before';
    case 'threads':
      return 'another thread of the second side waits, and the two threads do not meet';
    case 'before':
    case 'launches':
      return 'the two sides synchronize, but before the first access';
    case 'after':
      return 'the two sides synchronize, but after the second access';
    case 'unawaited':
      return 'the first side tells the second that it is done, but the second does not wait for that';
    case 'unlocked':
      return 'both sides take one lock, but one of them makes its access without it';
    case 'uncovered':
      return 'the second side waits for the rank of the first, but for nothing that covers the operation';
    case 'other':
      return 'the second side waits, but not for the first';
  }
}

function messageOf(miss: NearMiss): string {
  const { why, first, second, wait, change, link } = miss;
  const one = whoText(first.label, second.label);
  const two = waiterText(second.label, first.label);
  // An operation of the network is the action itself.
  const isNetwork = first.label.agent === 'network';
  const action = isNetwork ? one : `the ${first.label.does} of ${one}`;
  const needs = actionText(second.label);
  const isAgain = wait?.value !== undefined && wait.value === change?.value;
  const makes = isAgain ? `write ${wait.value} again` : `make it ${valueText(change)}`;
  const told = isNetwork
    ? `The ${counts(wait) ? 'count' : 'signal'} of ${one} makes it ${valueText(change)}${atText(change?.by)}`
    : `Only after the ${first.label.does} does ${one} ${makes}${atText(change?.by)}`;
  if (wait === undefined && isNetwork && !second.label.does.startsWith('load'))
    return `the ${needs} of ${two} and ${one} come in either order: if the ${needs} is to come first, as the reset of a word or the first contents of a buffer, let all ranks meet after it and before ${one}; if ${one} is, wait for its signal before the ${needs}`;
  if (wait === undefined)
    return `${one} tells ${two}${inText(change)} that it is done, but ${two} does not wait for that before the ${needs}: wait for that signal before the ${needs}`;
  const here = `the ${waitNoun(wait)} of ${two}${atText(wait.by)}`;
  const word = wordText([wait.place]);
  if (wait.gaveUp && isEarly(miss))
    return `${here} gives up when ${word} is still ${valueText(wait)}, and the ${needs} follows all the same. ${told}: after a wait that gave up, leave out the ${needs}`;
  switch (why) {
    case 'initial':
      return change?.value !== undefined && change.value === wait.value
        ? `${here} ends at once: ${word} has the value ${valueText(wait)} from the beginning, which ${one} also writes${atText(change.by)}. Let the values that are waited for begin with one that is not there yet`
        : `${here} ends at once: ${word} still has its first value, ${valueText(wait)}, which is enough for it. ${told}: wait for a value that the word does not have at the beginning`;
    case 'again':
      return `${here} ends at once: ${word} is ${valueText(wait)} already, by ${changeText(wait.read)}, before the ${first.label.does}. ${told}: let each round or barrier write and await a value of its own, such as one that grows`;
    case 'crossed':
      return crossedText(miss, wait);
    case 'reuse':
      return `${two} makes its next ${needs} without waiting for ${one}, which still uses what it had waited for (the ${waitNoun(wait)}${atText(wait.by)}, for ${changeText(change)}): let ${one} tell ${two} after the ${first.label.does} that it is done, by a flag or a barrier of the ranks in each round, and ${two} wait for that; or use two buffers by turns`;
    case 'weak':
      return weakText(miss, wait);
    case 'link': {
      const weak = weakOrderText(linkEnd(miss)?.by, link?.lacks ?? 'release');
      const party = partyText(change?.by ?? second.label, first.label, `rank ${change?.by.rank}`);
      return `${here} is for ${changeText(change, first.label)}. Before that, ${party} had read ${changeText(link?.change, change?.by)}: ${weak}`;
    }
    case 'threads':
      return `${threadText(wait.by)} waits at ${positionOf(wait.by)}, but ${threadText(second.label)} makes the ${needs} without meeting it: a ${syncOf(second.label, wait.by)} is missing after the wait`;
    case 'ahead':
      return `${here} is for ${changeText(change, second.label)}, by ${threadText(change?.by ?? first.label)}, which has not met ${threadText(first.label)} since its ${first.label.does}: a ${syncOf(first.label, change?.by ?? first.label)} is missing after the ${first.label.does}`;
    case 'stale':
      return `${here} ends at once: ${word} is ${valueText(wait)} since ${wait.read?.by.purpose ?? 'an earlier launch'}, by ${changeText(wait.read)}. ${told}: wait for a value that grows with every launch, or for more than there was at its beginning`;
    case 'low':
      return `${here} ends when ${word} is ${valueText(wait)}, for which ${changeText(wait.read)} is enough. ${told}: wait for the value that it has after both`;
    case 'after':
      return (
        `${here} comes after the ${needs}. If the ${needs} is to come after ${action}, move it before the ${needs}; if it is to come first, ` +
        `${action} does not wait until ${two} is done with these bytes: ${two} must tell it with ${isNetwork ? 'a signal' : 'a flag'} or a barrier`
      );
    case 'before':
      return wait.isBarrier
        ? `the barrier${atText(wait.by)} stands before ${action}, and no other one follows: put one between ${action} and the ${needs} of ${two}`
        : `${here} is for ${changeText(wait.read, second.label)}, which stands before ${action}: ${isNetwork ? 'wait for a signal of its own' : `move it after the ${first.label.does}`}`;
    case 'launches':
      return `${wait.by.purpose} of rank ${wait.by.rank} waits for ${change?.by.purpose} of rank ${change?.by.rank}, which comes before ${first.label.purpose} on its stream: let it come after that`;
    case 'unlocked':
      return `${action} comes after ${one} has given back the lock ${word}: the ${actionText(change?.by ?? wait.by)}${atText(change?.by)} makes it ${valueText(change)} again. Move it before that`;
    case 'uncovered':
      return uncoveredText(miss, wait, here);
    case 'unawaited':
    case 'other': {
      const tells =
        change === undefined
          ? `${one} tells nobody that ${isNetwork ? 'it' : `its ${first.label.does}`} is done`
          : `${one} tells it${inText(change)}, for which ${two} does not wait`;
      return `${here} is for ${changeText(wait.read, first.label)}, and not for ${partyText(first.label, wait.read?.by, one)}: ${tells}. Let ${two} wait, before the ${needs}, for a word that ${one} changes after ${isNetwork ? 'it' : `the ${first.label.does}`}`;
    }
  }
}

/** An operation of the network, and a wait for something of its rank that does not cover it. */
function uncoveredText({ first, change }: NearMiss, wait: StoryWait, here: string): string {
  const operation = `the ${operationOf(first.label)}${atText(first.label)}`;
  if (wait.isBarrier) {
    const inTypeScript = wordsFor(first.label) === wordsFor();
    return wait.place.kind === 'lsaInbox'
      ? `${here} orders threads, and not the operations of the network: let ${operation} carry a signal and wait for that, or use a barrier of the network with the fence level of puts`
      : `${here} does not cover ${operation}: give it the fence level ${inTypeScript ? "'put'" : 'ncclGinFenceLevel::Put'} and the context of ${operation}${inTypeScript ? ', or allContexts' : ''}, or let ${operation} carry a signal and wait for that`;
  }
  if (wait.place.kind !== 'gin') {
    // Both are operations of one call, in a loop or by several threads.
    const isSibling = change !== undefined && isSameLocation(change.by, first.label);
    return isSibling
      ? `${here} is for the signal of another ${operationOf(first.label)}${atText(first.label)}, and this one may arrive after that: put nvshmem_fence() (or nvshmem_quiet()) between the two, or wait for the signals of both`
      : `${here} is for ${changeText(change)}, and ${operation} may arrive after that: put nvshmem_fence() (or nvshmem_quiet()) between the two, or let the put bring its own signal (nvshmem_putmem_signal, ncclGin_SignalInc). A flush or a counter only says that the source may be used again`;
  }
  return `${here} is for ${changeText(change)}, which does not cover ${operation}: a weak signal covers only the request that carries it, and a strong one all earlier puts of its own context to that peer. Let ${operation} carry a signal itself, or send a strong one after it on its context`;
}

/** Two writes that two later reads have missed. */
function crossedText({ first, second, change, answer }: NearMiss, wait: StoryWait): string {
  const sides = [
    { label: first.label, other: second.label, made: change, read: answer?.look },
    { label: second.label, other: first.label, made: answer?.change, read: wait },
  ];
  const [one, two] = sides.map(({ label, other, made, read }) => {
    const written = made === undefined ? 'a word' : wordText([made.place]);
    const seen = read === undefined ? 'the other' : wordText([read.place]);
    return `${whoText(label, other)} writes ${written}${atText(made?.by)} and then reads ${seen}${atText(read?.by)}`;
  });
  return (
    `${one}, and ${two}: neither sees the write of the other. Only a fence with seq_cst order lets a write come before a later read of ` +
    `another word: put ${wordsFor(change?.by, wait.by).scFence} between the two on both sides`
  );
}

/** The end of a link whose order is too weak. */
function linkEnd({ link }: NearMiss): StoryChange | StoryWait | undefined {
  return link?.lacks === 'acquire' ? link.read : link?.change;
}

function threadText({ thread }: FindingLabel): string {
  return thread === undefined ? 'the host' : `thread ${thread}`;
}

function positionOf({ place }: FindingLabel): string {
  return place === undefined ? 'another line' : shownPosition(place);
}

/** The synchronization stands where it must, and only the order of one of its sides is too weak. */
function weakText({ first, second, change }: NearMiss, wait: StoryWait): string {
  const weak = weakOf(wait, change);
  const isInOneGpu = [first, second].every(({ label }) => label.agent === 'thread' && label.rank === first.label.rank);
  return weakOrderText(weak?.by, weak === wait ? 'acquire' : 'release', isInOneGpu);
}

function weakOf(wait: StoryWait | undefined, change: StoryChange | undefined): StoryWait | StoryChange | undefined {
  const order = change?.by.access?.order;
  return order === 'release' || order === 'acq_rel' || change === undefined ? wait : change;
}

function inText(change: StoryChange | undefined): string {
  return change === undefined ? '' : ` by ${wordText([change.place])}${atText(change.by)}`;
}

function valueText(at: Pick<StoryChange, 'value'> | undefined): string {
  return at?.value === undefined ? 'another value' : String(at.value);
}

/** Names a side, by what distinguishes it from the other. */
function whoText(label: FindingLabel, other: FindingLabel): string {
  return label.agent === 'network' ? `the ${operationOf(label)} of rank ${label.rank}` : waiterText(label, other);
}

/** Names the threads of a side. For an operation of the network, they are those that posted it. */
function waiterText(label: FindingLabel, other: FindingLabel): string {
  if (label.agent === 'host') return `the host of rank ${label.rank}`;
  if (label.rank !== other.rank || label.launch !== other.launch) return `rank ${label.rank}`;
  if (label.blockIdx !== undefined && !isSameCta(label, other)) return ctaText(label);
  const { thread } = label;
  return thread === undefined || thread === other.thread ? `rank ${label.rank}` : `thread ${thread}`;
}

/** The operation of the network: `put`, `get`, `signal`. */
function operationOf({ does }: FindingLabel): string {
  return does.split(' ', 1)[0] ?? does;
}

function actionText(label: FindingLabel): string {
  return label.agent === 'network' ? operationOf(label) : label.does;
}

function changeText(change: StoryChange | undefined, other?: FindingLabel): string {
  if (change === undefined) return 'its first value';
  const { by } = change;
  if (by.agent === 'host') return `the host of rank ${by.rank}`;
  return `the ${actionText(by)} of ${partyText(by, other, `rank ${by.rank}`)}${atText(by)}`;
}

/** Names the CTA or the launch too, if another one of the rank is meant as well. */
function partyText(label: FindingLabel, other: FindingLabel | undefined, text: string): string {
  if (other?.rank !== label.rank) return text;
  if (label.blockIdx !== undefined && !isSameCta(label, other)) return `${ctaText(label)} of rank ${label.rank}`;
  return other.purpose === label.purpose || label.purpose === undefined
    ? text
    : `${label.purpose} of rank ${label.rank}`;
}

function atText(label: FindingLabel | undefined): string {
  return label?.place === undefined ? '' : ` at ${shownPosition(label.place)}`;
}

function waitNoun(wait: StoryWait): string {
  if (wait.isBarrier) return 'barrier';
  return wait.by.polls === true || wait.by.place?.inlinedAt !== undefined ? 'wait' : 'load';
}
