/**
 * Milliseconds of this machine. Used only where the machine decides the schedule anyway, or where
 * only the speed depends on it.
 */
export function machineTime(): number {
  // oxlint-disable-next-line no-restricted-globals
  return performance.now();
}
