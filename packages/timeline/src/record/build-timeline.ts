import {
  at,
  type Flow,
  type FlowEnd,
  type FlowPoint,
  type Process,
  type Timeline,
  type Track,
  type TrackKind,
} from '@nccl-ts/core';
import { bindFlow } from './bind-flow.ts';
import { nestSlices, type NestedSlices, type RecordedSlice } from './nest-slices.ts';
import { badUsage } from './refusals.ts';

export interface RecordedProcess {
  readonly rank: number;
  readonly name: string;
}

export interface RecordedTrack {
  readonly rank: number;
  readonly kind: TrackKind;
  readonly name: string;
  readonly order: number;
  readonly slices: RecordedSlice[];
  /** The open slices, innermost last. */
  readonly open: OpenSlice[];
  /** The latest end of a slice. */
  latest: number;
  /** The number of slices that were begun. */
  began: number;
}

/** A slice that was begun and has not ended. */
export type OpenSlice = Omit<RecordedSlice, 'end'>;

export interface RecordedFlow {
  readonly name: string;
  readonly from: FlowPoint;
  /** The arrival, or the reason why there is none. */
  readonly state: FlowPoint | 'flight' | 'dropped';
}

/** Returns the recording, validated and sorted. */
export function buildTimeline(
  processes: readonly RecordedProcess[],
  tracks: readonly RecordedTrack[],
  flows: readonly RecordedFlow[],
): Timeline {
  const nested = tracks.map((track, id) => {
    expectNothingOpen(track);
    return nestSlices(id, trackText(track), track.slices);
  });
  const slices = nested.flatMap((of) => of.slices);
  return Object.freeze({
    processes: frozenProcesses(processes, tracks, nested),
    flows: Object.freeze(flows.flatMap((flow, id) => frozenFlow(flow, id, tracks, nested))),
    start: slices.reduce((earliest, { start }) => Math.min(earliest, start), slices[0]?.start ?? 0),
    end: slices.reduce((latest, { end }) => Math.max(latest, end), 0),
  });
}

function trackText({ rank, name }: RecordedTrack): string {
  return `rank ${rank}, track "${name}"`;
}

function expectNothingOpen(track: RecordedTrack): void {
  const innermost = track.open.at(-1);
  if (innermost === undefined) return;
  throw badUsage(
    'open',
    `${trackText(track)}: slice "${innermost.name}", which begins at ${innermost.start} ns, has not ended: call end for it, ` +
      'or cut when the launch has stopped.',
    { track: trackText(track), slice: innermost },
  );
}

const kindOrder: Readonly<Record<TrackKind, number>> = { cta: 0, network: 1 };

function frozenProcesses(
  processes: readonly RecordedProcess[],
  tracks: readonly RecordedTrack[],
  nested: readonly NestedSlices[],
): readonly Process[] {
  const tracksOf = new Map(processes.map(({ rank }): [number, Track[]] => [rank, []]));
  const inOrder = [...tracks.entries()].sort(
    ([, a], [, b]) => kindOrder[a.kind] - kindOrder[b.kind] || a.order - b.order,
  );
  for (const [id, { rank, kind, name }] of inOrder) {
    tracksOf.get(rank)?.push(Object.freeze({ id, rank, kind, name, slices: at(nested, id).slices }));
  }
  return Object.freeze(
    processes
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ rank, name }) => Object.freeze({ rank, name, tracks: Object.freeze(tracksOf.get(rank) ?? []) })),
  );
}

function frozenFlow(
  { name, from, state }: RecordedFlow,
  id: number,
  tracks: readonly RecordedTrack[],
  nested: readonly NestedSlices[],
): readonly Flow[] {
  if (state === 'dropped') return [];
  if (state === 'flight') {
    throw badUsage(
      'flight',
      `flow "${name}", sent at ${from.time} ns by ${pointText(tracks, from)}, has not arrived: call finish for it, drop ` +
        'when nothing shows its arrival, or cut when the launch has stopped.',
      { flow: id, name, from },
    );
  }
  const bound = (point: FlowPoint, role: string): FlowEnd => {
    const of = nested[point.track];
    const slice = of === undefined ? undefined : bindFlow(of, point);
    if (slice !== undefined) return Object.freeze({ track: point.track, time: point.time, slice });
    throw badUsage(
      'loose',
      `flow "${name}" ${role} ${pointText(tracks, point)} at ${point.time} ns, where that track has no slice: add the ` +
        'slice that does this, or drop the flow.',
      { flow: id, name, point },
    );
  };
  return [Object.freeze({ id, name, from: bound(from, 'is sent by'), to: bound(state, 'arrives at') })];
}

function pointText(tracks: readonly RecordedTrack[], { track }: FlowPoint): string {
  const found = tracks[track];
  return found === undefined ? `track ${track}` : trackText(found);
}
