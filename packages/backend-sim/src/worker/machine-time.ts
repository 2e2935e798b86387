/**
 * Milliseconds of this machine. Looked at only where schedules are the machine's anyway, or nothing
 * but the time changes: to do what pays.
 */
export function machineTime(): number {
  // oxlint-disable-next-line no-restricted-globals
  return performance.now();
}
