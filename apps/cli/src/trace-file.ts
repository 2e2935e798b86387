import { extname } from 'node:path';
import { chromeTrace, timelineSvg, tracksOf, writeChromeTrace, type Timeline } from '@nccl-ts/timeline';
import { writeFile } from './output/write-file.ts';
import { UsageError } from './usage-error.ts';

/** How a time line is written, by the extension of the file. */
const writers: Readonly<Record<string, (timeline: Timeline, title: string) => string>> = {
  '.json': (timeline) => writeChromeTrace(chromeTrace(timeline)),
  '.svg': (timeline, title) => timelineSvg(timeline, { title }),
};

/** Makes sure, before anything runs, that `writeTrace` will know what to write. */
export function checkTraceFile(file: string): void {
  if (Object.hasOwn(writers, extname(file))) return;
  throw new UsageError(`--trace ${file}: it must end in .json (for Perfetto) or .svg (a picture)`);
}

/**
 * Writes a time line as what the file's extension says.
 *
 * @throws UsageError where there can be no such file; WriteError where it could not be written.
 */
export async function writeTrace(file: string, timeline: Timeline, title: string): Promise<void> {
  checkTraceFile(file);
  const text = writers[extname(file)]?.(timeline, title) ?? '';
  await writeFile('--trace', file, text);
}

/** When a launch ran, over all ranks, in simulated nanoseconds. */
export interface LaunchTime {
  readonly kernel: string;
  /** When its first CTA began, and its last one ended. */
  readonly start: number;
  readonly end: number;
}

/**
 * The launches of a time line, in order: those that came at the same place on the same stream of
 * each rank are one.
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
