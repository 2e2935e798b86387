/**
 * Returns the milliseconds of this machine. It is used only if the machine determines the schedule
 * anyway, or if only the speed depends on it.
 */
export function machineTime(): number {
  // oxlint-disable-next-line no-restricted-globals
  return performance.now();
}
