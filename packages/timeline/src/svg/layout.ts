import { linkUses, type LinkUse } from '../link-use.ts';
import type { Process, Slice, Timeline, Track } from '@nccl-ts/core';

/** The positions in the picture, in pixels. */
export interface Layout {
  /** The time axis: from `left` to `right`. */
  readonly left: number;
  readonly right: number;
  /** The top of the lanes, below the axis, and their bottom. */
  readonly top: number;
  readonly bottom: number;
  readonly groups: readonly RankRows[];
  /** The numbers of tracks without room, and of arrows that start or end there. */
  readonly omittedTracks: number;
  readonly omittedFlows: number;
  /** Returns the x coordinate of a time in nanoseconds. */
  readonly x: (time: number) => number;
}

/** A rank. */
export interface RankRows {
  readonly process: Process;
  readonly top: number;
  readonly lanes: readonly Lane[];
  /** Below the lanes: a curve for each link that the rank uses. */
  readonly links: readonly LinkRow[];
}

/** The curve of one link. */
export interface LinkRow {
  readonly use: LinkUse;
  readonly top: number;
}

/** A track. */
export interface Lane {
  readonly track: Track;
  readonly top: number;
  readonly height: number;
}

/** The height of a row of slices. A nested slice is one row below its enclosing one. */
export const ROW: number = 17;
/** The height of a link's curve. */
export const LINK: number = 20;
const GROUP_HEADING = 22;
const LANE_GAP = 5;
const GROUP_GAP = 8;
export const MARGIN: number = 14;
export const AXIS: number = 22;

export interface LayoutInput {
  readonly timeline: Timeline;
  readonly width: number;
  readonly labels: number;
  /** The height of the text above the axis. */
  readonly heading: number;
  readonly maxTracks: number;
}

/** Stacks up to `maxTracks` lanes. */
export function layOut({ timeline, width, labels, heading, maxTracks }: LayoutInput): Layout {
  const left = MARGIN + labels;
  const right = width - MARGIN;
  const top = MARGIN + heading + AXIS;
  const groups: RankRows[] = [];
  const shown = new Set<number>();
  let y = top;
  for (const process of timeline.processes) {
    const tracks = process.tracks.slice(0, maxTracks - shown.size);
    // A rank without tracks still has a heading. A rank whose tracks were all left out has none.
    if (tracks.length === 0 && process.tracks.length > 0) continue;
    const groupTop = y;
    y += GROUP_HEADING;
    const lanes = tracks.map((track): Lane => {
      const height = rowsOf(track) * ROW;
      const lane = { track, top: y, height };
      y += height + LANE_GAP;
      shown.add(track.id);
      return lane;
    });
    const rows = linkUses(process).map((use): LinkRow => {
      const row = { use, top: y };
      y += LINK + LANE_GAP;
      return row;
    });
    y += GROUP_GAP;
    groups.push({ process, top: groupTop, lanes, links: rows });
  }
  const span = Math.max(timeline.end - timeline.start, 1e-3);
  return {
    left,
    right,
    top,
    bottom: y,
    groups,
    omittedTracks: timeline.processes.reduce((sum, { tracks }) => sum + tracks.length, 0) - shown.size,
    omittedFlows: timeline.flows.filter(({ from, to }) => !shown.has(from.track) || !shown.has(to.track)).length,
    x: (time) => left + ((time - timeline.start) / span) * (right - left),
  };
}

/** The top of a slice's row. */
export function rowTop(lane: Lane, { depth }: Slice): number {
  return lane.top + depth * ROW;
}

function rowsOf({ slices }: Track): number {
  return slices.reduce((rows, { depth }) => Math.max(rows, depth + 1), 1);
}
