import {
  barrierCall,
  describeWord,
  type LocatedWord,
  type ValueRead,
  type WordChange,
  type WordHistory,
  type WordMeaning,
} from '@nccl-ts/findings';
import type { Shadow } from '@nccl-ts/memory-model';
import type { Participants } from '../participants.ts';
import type { PastRead, PastWrite, WordStories } from './word-stories.ts';

/** The bytes around a word in which something else may have been changed by mistake. */
const AROUND = 128;

/** The most words that are named instead of one that nobody has changed. */
const MOST_INSTEAD = 2;

export interface HistorySource {
  readonly stories: WordStories;
  readonly participants: Participants;
  /** The shadow of the heap. */
  readonly heap: Shadow;
  readonly locate: (address: number) => LocatedWord | undefined;
}

/** A CTA that waits. */
export interface WaitingCta {
  readonly rank: number;
  readonly launch: number;
  readonly cta: number;
}

/** Tells how a word of the heap came to its value. */
export function historyOfWord(source: HistorySource, address: number, waiter: WaitingCta): WordHistory {
  const { stories, participants, heap } = source;
  const changes = stories.writesAt(heap, address).map((write) => changeOf(write, participants));
  const agent = stories.agentOf(waiter.launch, waiter.cta);
  const read = (agent === undefined ? [] : stories.readsBy(agent)).findLast(
    ({ word }) => word.shadow === heap && word.address === address,
  );
  return {
    changes,
    ...(read?.value === undefined ? {} : { read: valueRead(source, read, read.value) }),
    instead: changes.length > 0 ? [] : insteadOf(source, address, waiter),
  };
}

function valueRead({ stories, participants }: HistorySource, read: PastRead, value: bigint): ValueRead {
  const by = participants.label(read.access);
  const own = stories.writesBy(read.point.agent).findLast(({ number }) => number < read.number);
  const isBetween = own !== undefined && read.write !== undefined && read.write.number > own.number;
  return isBetween ? { by, value, after: participants.label(own.access) } : { by, value };
}

function changeOf({ access, isUpdate, was, value }: PastWrite, participants: Participants): WordChange {
  return {
    by: participants.label(access),
    isUpdate,
    ...(was === undefined ? {} : { was }),
    ...(value === undefined ? {} : { value }),
  };
}

/** The words that were changed near the word at `address`, nearest first. */
function insteadOf(
  { stories, participants, heap, locate }: HistorySource,
  address: number,
  { rank }: WaitingCta,
): WordHistory['instead'] {
  const own = locate(address)?.window;
  const near = stories.writtenWithin(heap, address - AROUND, address + AROUND).flatMap((writes) => {
    const last = writes.at(-1);
    if (last === undefined || locate(last.word.address)?.window !== own) return [];
    // The words of barriers are not what an author would change by mistake.
    const by = participants.label(last.access);
    return by.rank !== rank && by.agent !== 'host' && barrierCall(by.place) === undefined ? [last] : [];
  });
  const place = placeAt(address, locate);
  return near
    .toSorted((a, b) => Math.abs(a.word.address - address) - Math.abs(b.word.address - address))
    .map((write) => ({ place: placeAt(write.word.address, locate), change: changeOf(write, participants) }))
    .filter((one) => isLike(place, one.place))
    .slice(0, MOST_INSTEAD);
}

function placeAt(address: number, locate: HistorySource['locate']): WordMeaning {
  return describeWord({ address, region: 0, space: 'global', type: 'u32', value: 0 }, () => locate(address));
}

/** A signal is not mistaken for a counter. */
function isLike(one: WordMeaning, other: WordMeaning): boolean {
  return one.kind === 'gin' ? other.kind === 'gin' && other.word.kind === one.word.kind : other.kind === one.kind;
}
