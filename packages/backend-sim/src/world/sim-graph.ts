import type { GraphHandle, KernelArg, LaunchConfig, RankGroup } from '@nccl-ts/transport';
import type { Stream } from '../engine/stream.ts';
import { groupWorks, runsOf, type GroupWork, type RepeatedWork } from '../native/group-work.ts';
import type { SimExecutable } from './sim-executable.ts';

/** A recorded launch. */
export interface RecordedLaunch {
  readonly executable: SimExecutable;
  readonly config: LaunchConfig;
  readonly args: readonly KernelArg[];
}

/** Records the launches of some streams. */
export interface Capture {
  readonly streams: readonly Stream[];
  readonly launches: RecordedLaunch[];
}

/** All work of one stream of a graph, if it consists of collectives of one group. */
export interface GraphSteps extends Pick<RecordedLaunch, 'executable' | 'config'> {
  readonly group: RankGroup;
  readonly steps: readonly RepeatedWork[];
}

/** Recorded launches. */
export class SimGraph implements GraphHandle {
  readonly ranks: readonly number[];
  readonly recorded: readonly RecordedLaunch[];
  /**
   * The same with one launch for each rank, if the graph consists only of collectives that need no
   * kernel and that agree on all ranks of a group.
   */
  readonly together: readonly GraphSteps[] | undefined;

  constructor(ranks: readonly number[], recorded: readonly RecordedLaunch[]) {
    this.ranks = ranks;
    this.recorded = recorded;
    this.together = stepsOf(recorded);
  }

  get launches(): number {
    return this.recorded.length;
  }
}

function stepsOf(recorded: readonly RecordedLaunch[]): readonly GraphSteps[] | undefined {
  const byStream = new Map<LaunchConfig['stream'], { readonly first: RecordedLaunch; readonly works: GroupWork[] }>();
  for (const launch of recorded) {
    const { stream, work } = launch.config;
    const known = groupWorks(stream.rank, work);
    if (known === undefined) return undefined;
    const entry = byStream.get(stream) ?? { first: launch, works: [] };
    byStream.set(stream, entry);
    entry.works.push(...known);
  }
  const lists = [...byStream.values()];
  const group = lists[0]?.works[0]?.group;
  if (group === undefined) return undefined;
  const ranks = new Set([...byStream.keys()].map(({ rank }) => rank));
  const isWhole = ranks.size === byStream.size && ranks.size === group.members.length;
  if (!isWhole || !group.members.every((rank) => ranks.has(rank))) return undefined;
  if (lists.some(({ works }) => works.some((work) => work.group !== group))) return undefined;
  return lists.map(({ first: { executable, config }, works }) => ({ executable, config, group, steps: runsOf(works) }));
}
