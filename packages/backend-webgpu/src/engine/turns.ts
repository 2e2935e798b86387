import type { DeviceShare } from './device-share.ts';
import type { LaunchGroup } from './group.ts';
import type { ByBytes } from './memory-exchange.ts';

/** The work of one device at a time. */
export interface DeviceTurn {
  readonly share: DeviceShare;
  readonly groups: readonly LaunchGroup[];
}

/** The course of a round. */
export interface EngineRound {
  /** The devices of each entry run concurrently, and see the results of earlier entries. */
  readonly turns: readonly (readonly DeviceTurn[])[];
  /** True if no device waits for another one. */
  readonly isConcurrent: boolean;
  readonly byBytes: ByBytes;
}

/**
 * Distributes a round of `groups` among their devices. If memory spans these, concurrent devices
 * see each other's stores between their rounds. That is a legal order unless a kernel reads,
 * modifies and writes in one step.
 *
 * @param spans true if ranks of different devices can access each other's memory
 */
export function roundOf(groups: readonly LaunchGroup[], spans: boolean): EngineRound {
  const byShare = new Map<DeviceShare, LaunchGroup[]>();
  for (const group of groups) byShare.set(group.share, [...(byShare.get(group.share) ?? []), group]);
  const turns = [...byShare].map(([share, own]): DeviceTurn => ({ share, groups: own }));
  turns.sort((a, b) => a.share.number - b.share.number);
  const kinds = groups.map(({ code }) => code.source.sharing);
  const narrow = (space: keyof ByBytes): boolean => kinds.some(({ narrowStores }) => narrowStores[space]);
  const mixed = (space: keyof ByBytes): boolean =>
    narrow(space) && kinds.some(({ orderedStores }) => orderedStores[space]);
  const byTurns = kinds.some(({ takesTurns }) => takesTurns) || mixed('heap') || mixed('resources');
  return {
    turns: spans && byTurns ? turns.map((turn) => [turn]) : turns.length === 0 ? [] : [turns],
    isConcurrent: !spans || turns.length === 1,
    byBytes: { heap: narrow('heap'), resources: narrow('resources') },
  };
}
