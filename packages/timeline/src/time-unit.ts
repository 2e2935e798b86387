/** A unit in which people read times. */
export interface TimeUnit {
  readonly name: string;
  readonly nanoseconds: number;
}

const nanosecond: TimeUnit = { name: 'ns', nanoseconds: 1 };
const larger: readonly TimeUnit[] = [
  { name: 's', nanoseconds: 1e9 },
  { name: 'ms', nanoseconds: 1e6 },
  { name: 'µs', nanoseconds: 1e3 },
];

/** Returns the largest unit that fits into `nanoseconds`. */
export function unitOf(nanoseconds: number): TimeUnit {
  return larger.find((unit) => nanoseconds >= unit.nanoseconds) ?? nanosecond;
}

/**
 * Formats a time or a duration in nanoseconds for people, such as `1.25 µs`, to four digits or to
 * the whole unit.
 */
export function renderTime(nanoseconds: number): string {
  const unit = unitOf(nanoseconds);
  const value = nanoseconds / unit.nanoseconds;
  const digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
  return `${Number(value.toFixed(digits))} ${unit.name}`;
}
