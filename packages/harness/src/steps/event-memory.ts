import { allocationOf, type DescribedMemory } from '../describe-memory.ts';
import { ImageWriter } from '../memory/memory-image.ts';
import type { Pointer } from '../memory/pointer.ts';
import { u32 } from '../scalar-types.ts';
import type { Step } from '../step.ts';

/** The name of the memory of events, which no allocation of a setup has by chance. */
const EVENTS = 'the events of the streams';

/** The number of events that steps name. */
export function eventsOf(steps: readonly Step[]): number {
  return Math.max(
    0,
    ...steps.map((step) => (step.kind === 'record' || step.kind === 'waitEvent' ? step.event + 1 : 0)),
  );
}

/** A word of a rank for each event, which counts its records. */
export function eventMemory(rank: number, events: number): DescribedMemory {
  const allocation = allocationOf(rank, EVENTS, u32, events);
  return { allocation, image: new ImageWriter(allocation.bytes), isGiven: true };
}

/** The word of an event. */
export function eventPlace(memory: readonly DescribedMemory[], event: number): Pointer | undefined {
  const found = memory.find(({ allocation }) => allocation.name === EVENTS);
  return found === undefined ? undefined : { ...found.allocation.own, offset: u32.bytes * event };
}
