import { at, WARP_SIZE } from '@nccl-ts/core';
import { ncclLayouts } from '../adapters/nccl.ts';
import type { EntryFacts } from './entry-facts.ts';
import { parameterTypes, templateArguments } from './element-types.ts';
import type { LaunchPlan, PlannedExpression, PlannedSize } from './launch-plan.ts';
import { meaningOf } from './name-meanings.ts';
import { ArgumentPlanner } from './plan-arguments.ts';
import { PlannedMemories } from './plan-memory.ts';
import { plannedRequirements, standInDevComm } from './stand-in-dev-comm.ts';

/**
 * Plans a launch of an entry from its facts: its parameters, and the memory that it reaches. A
 * value that the facts do not tell is a `todo`.
 */
export function planLaunch(facts: EntryFacts): LaunchPlan {
  const { title, parameters, threads, places, synchronizesCta } = facts;
  const ofTitle = parameterTypes(title);
  const types = parameters.map(({ declared }, i) => ofTitle[i] ?? declared?.type ?? '');
  const memories = new PlannedMemories(title, facts.reached, facts.floats);
  const planner = new ArgumentPlanner(facts, types, memories, version(facts, types));
  const args = parameters.map((_, i): PlannedExpression => planner.plan(i));
  const required = threads.find(({ directive }) => directive === 'reqntid')?.numbers;
  const most = threads.find(({ directive }) => directive === 'maxntid')?.numbers.reduce((all, one) => all * one, 1);
  // In a CTA of one warp, a barrier of all threads is no more than one of the warp.
  const few = synchronizesCta ? 2 * WARP_SIZE : WARP_SIZE;
  const [x = few, y = 1, z = 1] = required ?? [places.threads ? Math.min(few, most ?? few) : 1];
  const ranks = ranksOf(facts);
  const grid = gridOf(facts);
  return {
    ...(ranks === undefined ? {} : { ranks }),
    grid,
    isBlockRequired: required !== undefined,
    block: y * z === 1 ? x : { x, y, z },
    launches: 2,
    ...(facts.hasDynamicShared ? { dynamicShared: 1024 } : {}),
    callsHeaders: facts.calls.length > 0,
    ...(standInDevComm(facts) === undefined ? {} : { devComm: plannedRequirements(facts.calls, ctasOf(grid)) }),
    definitions: planner.definitions,
    memory: memories.all,
    statements: planner.statements,
    ...(parameters.some(({ declared }) => declared !== undefined) || ofTitle.length > 0
      ? { signature: parameters.map(({ declared }, i) => `${at(types, i)} ${declared?.name ?? ''}`.trim()).join(', ') }
      : {}),
    args,
    standIn: standIns[0],
    expect: [],
  };
}

/** Two CTAs, or a cluster if the entry fixes its size. */
function gridOf({ places, cluster }: EntryFacts): LaunchPlan['grid'] {
  const [x = 1, y = 1, z = 1] = cluster ?? [];
  if (cluster !== undefined) return y * z === 1 ? x : { x, y, z };
  return places.ctas ? 2 : 1;
}

function ctasOf(grid: LaunchPlan['grid']): number {
  return typeof grid === 'number' ? grid : grid.x * grid.y * grid.z;
}

/** Values of integers that are not known, in the order in which probe runs try them. */
export const standIns: readonly [PlannedSize, ...PlannedSize[]] = [
  { text: 'n', of: (n) => n },
  { text: 'nRanks', of: (_, nRanks) => nRanks },
  { text: '1', of: () => 1 },
  { text: '8', of: () => 8 },
];

/** The number of ranks that a template argument fixes. Its name in the source says so. */
function ranksOf({ title, templateNames }: EntryFacts): number | undefined {
  const values = templateArguments(title);
  for (const [i, name] of (templateNames ?? []).entries()) {
    const value = Number(values[i]);
    const isRanks = meaningOf(name.replace(/^k(?=[A-Z])/u, '')) === 'nRanks';
    if (isRanks && Number.isSafeInteger(value) && value >= 1 && value <= 64) return value;
  }
  return undefined;
}

/**
 * The version of NCCL with whose headers the entry was compiled: as they say, or by the size of its
 * struct.
 */
function version({ parameters, ncclVersion }: EntryFacts, types: readonly string[]): string {
  if (ncclVersion !== undefined) return ncclVersion;
  const bytes = parameters[types.indexOf('ncclDevComm')]?.bytes;
  return Object.entries(ncclLayouts).find(([, layout]) => layout.bytes === bytes)?.[0] ?? '2.30';
}
