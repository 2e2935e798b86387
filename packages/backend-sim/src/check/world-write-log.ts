import type { SimWorldMemory } from '../memory/world-memory.ts';
import type { Checker } from './checker.ts';
import { WriteLog, type SimTurn } from './write-log.ts';

/** Returns the log of a checking world, if there is a listener. */
export function writeLogOf(
  onTurn: ((turn: SimTurn) => void) | undefined,
  checker: Checker,
  memory: SimWorldMemory,
): WriteLog | undefined {
  if (onTurn === undefined) return undefined;
  return new WriteLog({
    order: checker.order,
    label: (access) => checker.label(access),
    // The resources of a device communicator are not the program's memory.
    windows: () => {
      const [windows, devComms] = memory.shared;
      const own = new Set(devComms.flatMap(({ resources, state }) => [resources, state]));
      return windows.filter((window) => !own.has(window));
    },
    views: () => memory.heap.views,
    onTurn,
  });
}
