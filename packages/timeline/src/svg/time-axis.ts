import { unitOf } from '../time-unit.ts';

/** A mark on the axis. */
export interface Tick {
  /** In nanoseconds. */
  readonly time: number;
  readonly label: string;
}

const steps = [1, 2, 5, 10];

/**
 * Returns marks at round times from `start` to `end`, at most `most` + 1, all labelled in one unit.
 */
export function ticksOf(start: number, end: number, most: number): readonly Tick[] {
  // If the timeline has no duration, there is one mark, and no fraction to show.
  const least = end > start ? Math.max((end - start) / Math.max(most, 1), 1e-3) : 1;
  const magnitude = 10 ** Math.floor(Math.log10(least));
  const step = (steps.find((factor) => factor * magnitude >= least) ?? 10) * magnitude;
  const unit = unitOf(end);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / unit.nanoseconds) - 1e-9));
  const first = Math.ceil(start / step);
  return Array.from({ length: Math.floor(end / step) - first + 1 }, (_, index): Tick => {
    const time = (first + index) * step;
    return { time, label: `${(time / unit.nanoseconds).toFixed(decimals)} ${unit.name}` };
  });
}
