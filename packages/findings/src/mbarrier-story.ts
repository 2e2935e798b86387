import { mbarrierState, type MbarrierState } from '@nccl-ts/core';
import type { WaitingThreads } from './deadlock-report.ts';

/** The state of the mbarrier for which a group waits, and advice to its author. */
export interface MbarrierStory {
  readonly note: string;
  readonly help: string;
}

/**
 * The story of a wait for the phase of an mbarrier; `undefined` for other waits. Such a wait looks
 * at one bit of the word, so that the word is not what is compared.
 */
export function mbarrierStory({ words, needed }: WaitingThreads): MbarrierStory | undefined {
  const [word, ...others] = words;
  if (word === undefined || others.length > 0 || word.type !== 'u64' || typeof word.value === 'boolean')
    return undefined;
  if (word.place.kind !== 'array' || word.place.space !== 'shared') return undefined;
  // If anything but the word's value were enough, the wait would be over.
  const isOfBit = needed === 'true' || (needed.startsWith('not ') && needed !== `not ${word.value}`);
  if (!isOfBit) return undefined;
  const state = mbarrierState(BigInt(word.value));
  if (state === undefined) return undefined;
  return {
    note: `the mbarrier at byte ${word.place.offset} of a shared array: ${lacksText(state)}`,
    help: helpText(state),
  };
}

function lacksText({ left, expected, bytes, parity }: MbarrierState): string {
  const come =
    expected === 1
      ? `its arrival has${left === 1 ? ' not' : ''} come`
      : `${expected - left} of ${expected} arrivals have come`;
  const missing =
    bytes > 0
      ? `, and ${bytes} of the announced bytes have not`
      : bytes < 0
        ? `, and ${-bytes} bytes more than were announced`
        : '';
  return `its phase of parity ${parity} has not ended: ${come}${missing}`;
}

function helpText({ left, expected, bytes, parity }: MbarrierState): string {
  if (bytes < 0)
    return `copies bring ${-bytes} bytes more than expect_tx announces for this phase: announce the bytes of all its copies`;
  if (bytes > 0)
    return `no copy is left that brings the ${bytes} bytes: expect_tx must announce what the copies of the phase bring, and no more, and each copy must be issued`;
  if (left === expected)
    return `nothing of this phase has come, and the one before it has ended: a wait for that has parity ${1 - parity}, and the parity changes with each phase. If it was meant, the phase ended and the next one began before these threads looked: nobody may arrive again before they have passed`;
  return `${left === 1 ? '1 arrival is' : `${left} arrivals are`} missing: let as many arrive in each phase as mbarrier.init says, which is ${expected} here`;
}
