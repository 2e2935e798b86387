import { wordTable, type Timeline } from '@nccl-ts/core';
import { extname } from 'node:path';
import { chromeTrace, timelineSvg, tracksOf, writeChromeTrace } from '@nccl-ts/timeline';
import { writeFile } from '../output/write-file.ts';
import { UsageError } from '../usage-error.ts';

/** The writers of a timeline, by the extension of the file. */
const writers: Readonly<Record<string, (timeline: Timeline, title: string) => string>> = wordTable({
  '.json': (timeline) => writeChromeTrace(chromeTrace(timeline)),
  '.svg': (timeline, title) => timelineSvg(timeline, { title }),
});

/** Checks, before anything runs, that `writeTrace` supports the file's extension. */
export function checkTraceFile(file: string): void {
  if (Object.hasOwn(writers, extname(file))) return;
  throw new UsageError(`--trace ${file}: it must end in .json (for Perfetto) or .svg (a picture)`);
}

/**
 * Writes a timeline in the format of the file's extension.
 *
 * @throws UsageError if there cannot be such a file; WriteError if it could not be written.
 */
export async function writeTrace(file: string, timeline: Timeline, title: string): Promise<void> {
  checkTraceFile(file);
  const text = writers[extname(file)]?.(timeline, title) ?? '';
  await writeFile('--trace', file, text);
}

/** The time of a launch over all ranks, in simulated nanoseconds. */
export interface LaunchTime {
  readonly kernel: string;
  /** The start of its first CTA, and the end of its last one. */
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the launches of a timeline, in order. Those at the same position on the same stream of
 * each rank are merged.
 */
export function launchTimes(timeline: Timeline): readonly LaunchTime[] {
  const launches = new Map<string, LaunchTime>();
  const slices = tracksOf(timeline).flatMap((track) => track.slices);
  for (const { name, category, args, start, end } of slices) {
    if (category !== 'launch') continue;
    const key = [args['stream'], args['launch'], name].join();
    const known = launches.get(key) ?? { start, end };
    launches.set(key, { kernel: name, start: Math.min(known.start, start), end: Math.max(known.end, end) });
  }
  return [...launches.values()].toSorted((a, b) => a.start - b.start);
}
