import type { Timeline, Track } from '@nccl-ts/core';

/** Returns all tracks, by process and then in the order of the process. */
export function tracksOf(timeline: Timeline): readonly Track[] {
  return timeline.processes.flatMap(({ tracks }) => tracks);
}
