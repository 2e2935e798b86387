import type { Flow, FlowId, Timeline, Track, TrackId } from '@nccl-ts/core';
import { activityOf } from './slice-category.ts';
import { tracksOf } from './tracks-of.ts';

/** A part of the critical path: the time during which it is on one track. */
export interface CriticalStep {
  readonly track: TrackId;
  /** In nanoseconds. */
  readonly from: number;
  readonly to: number;
  /** The flow by which the path came to this track; absent for the first step. */
  readonly flow?: FlowId;
}

/**
 * Returns the chain that led to the end of the timeline, first step first. It is found backwards,
 * from the slice that ends last: along its track to the latest flow that ended a wait there, from
 * there to the track that sent the flow, and so on. If a step took less time, everything would end
 * earlier, as far as flows show the waits. The chain is empty if there are no slices.
 */
export function criticalPath(timeline: Timeline): readonly CriticalStep[] {
  const tracks = new Map(tracksOf(timeline).map((track) => [track.id, track]));
  let last: { readonly track: Track; readonly time: number } | undefined;
  for (const track of tracks.values()) {
    for (const { end } of track.slices) if (last === undefined || end > last.time) last = { track, time: end };
  }
  const arrivals = arrivalsByTrack(timeline, tracks);
  const steps: CriticalStep[] = [];
  const used = new Set<FlowId>();
  while (last !== undefined) {
    const { track, time }: { readonly track: Track; readonly time: number } = last;
    const flow: Flow | undefined = arrivals.get(track.id)?.find(({ id, to }) => to.time <= time && !used.has(id));
    if (flow === undefined) {
      steps.push({ track: track.id, from: Math.min(track.slices[0]?.start ?? time, time), to: time });
      break;
    }
    used.add(flow.id);
    steps.push({ track: track.id, from: flow.to.time, to: time, flow: flow.id });
    const source: Track | undefined = tracks.get(flow.from.track);
    last = source === undefined ? undefined : { track: source, time: flow.from.time };
  }
  return Object.freeze(steps.toReversed().map((step) => Object.freeze(step)));
}

/** Returns the flows that ended a wait or entered a queue, latest first. */
function arrivalsByTrack(
  { flows }: Timeline,
  tracks: ReadonlyMap<TrackId, Track>,
): ReadonlyMap<TrackId, readonly Flow[]> {
  const arrivals = new Map<TrackId, Flow[]>();
  for (const flow of flows) {
    const slice = tracks.get(flow.to.track)?.slices[flow.to.slice];
    if (slice === undefined || activityOf(slice.category) === 'busy' || flow.from.track === flow.to.track) continue;
    const known = arrivals.get(flow.to.track);
    if (known === undefined) arrivals.set(flow.to.track, [flow]);
    else known.push(flow);
  }
  for (const list of arrivals.values()) list.sort((a, b) => b.to.time - a.to.time || b.id - a.id);
  return arrivals;
}
