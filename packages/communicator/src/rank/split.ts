import { expectInteger, reading, takeOptions } from '@nccl-ts/core';
import { Collective, CollectiveKind, type CollectiveContext } from '../rendezvous/collective.ts';
import type { Rendezvous } from '../rendezvous/rendezvous.ts';
import { shown } from '../describe.ts';
import { derived } from './derived.ts';
import { aborted, invalidArgument, notSupported } from '../errors.ts';
import type { RankState } from './rank-state.ts';

/** The arguments of a rank's `split`. They may differ between ranks. */
export interface SplitRequest {
  readonly owner: RankState;
  readonly color: number | null;
  readonly key: number;
}

export interface ShrinkOptions {
  /**
   * How pending work on the communicator is treated. With `default` there must be none. `abort`
   * ends it first, as `Communicator.abort` does, but keeps the communicator.
   *
   * @default 'default'
   * @see NCCL_SHRINK_DEFAULT, NCCL_SHRINK_ABORT
   */
  readonly mode?: 'default' | 'abort';
}

const largestInt = 2 ** 31 - 1;

/** Creates communicators of the ranks with the same color: see `Communicator.split`. */
export async function split(owner: RankState, color: number | null, key: number): Promise<RankState | null> {
  const what = 'split';
  owner.checkActive(what);
  if (color !== null) expectInteger(`${what}: color`, color, 0, largestInt);
  expectInteger(`${what}: key`, key, -largestInt, largestInt);
  checkLocal(owner, what);
  const { collectiveContext: context, rendezvous } = owner.group;
  const made = await rendezvous.meet(owner.rank, splits.at(context), {}, { owner, color, key });
  return handed(owner, made.get(owner), what);
}

/** Creates a communicator without some of the ranks: see `Communicator.shrink`. */
export async function shrink(
  owner: RankState,
  excludedRanks: readonly number[],
  options: ShrinkOptions,
): Promise<RankState> {
  const what = 'shrink';
  owner.checkActive(what);
  const { mode = 'default' } = takeOptions(what, options, { mode: true });
  const survivors = reading(what, () => survivorsOf(owner, excludedRanks, what));
  if (mode !== 'default' && mode !== 'abort') {
    throw invalidArgument(`${what}: mode must be 'default' or 'abort'; given ${shown(mode)}.`);
  }
  checkLocal(owner, what);
  if (mode === 'abort') {
    await owner.endOperations(aborted(`Rank ${owner.rank} shrinks its communicator.`, undefined));
  }
  const rendezvous = owner.group.survivors(survivors);
  const made = await rendezvous.meet(owner.rank, shrinks.at(rendezvous), { mode }, owner);
  const state = await handed(owner, made.get(owner), what);
  if (state === null) throw new RangeError(`No communicator was made for rank ${owner.rank}.`);
  return state;
}

const splits = /* @__PURE__ */ new CollectiveKind<CollectiveContext, SplitRequest, ReadonlyMap<RankState, RankState>>(
  () =>
    new Collective('split', async (requests) => {
      const byColor = new Map<number, SplitRequest[]>();
      for (const request of requests) {
        if (request.color === null) continue;
        const same = byColor.get(request.color);
        if (same === undefined) byColor.set(request.color, [request]);
        else same.push(request);
      }
      const ofColors = [...byColor].toSorted(([a], [b]) => a - b);
      return derived(
        ofColors.map(([, same]) =>
          same.toSorted((a, b) => a.key - b.key || a.owner.rank - b.owner.rank).map(({ owner }) => owner),
        ),
      );
    }),
);

/** The separate rendezvous of the ranks that continue without the others. */
const shrinks = /* @__PURE__ */ new CollectiveKind<Rendezvous, RankState, ReadonlyMap<RankState, RankState>>(
  () => new Collective('shrink', async (owners) => derived([owners])),
);

function survivorsOf(owner: RankState, excludedRanks: unknown, what: string): readonly number[] {
  const { nRanks } = owner.group.topology;
  if (!Array.isArray(excludedRanks) || excludedRanks.length === 0) {
    throw invalidArgument(
      `${what}: excludedRanks must be an array with at least one rank; given ${shown(excludedRanks)}.`,
    );
  }
  const excluded = new Set<unknown>(excludedRanks);
  for (const rank of excluded) {
    if (typeof rank === 'number' && Number.isInteger(rank) && rank >= 0 && rank < nRanks) continue;
    throw invalidArgument(`${what}: excludedRanks must hold ranks, from 0 to ${nRanks - 1}; given ${shown(rank)}.`);
  }
  if (excluded.has(owner.rank)) {
    throw invalidArgument(`${what}: a rank that is excluded does not call it; rank ${owner.rank} is, and did.`);
  }
  return owner.group.members.flatMap((_, rank) => (excluded.has(rank) ? [] : [rank]));
}

/**
 * Checks that all ranks are in this process, because otherwise the members of each communicator are
 * not known.
 */
function checkLocal(owner: RankState, what: string): void {
  const { localRanks, topology } = owner.world.device;
  if (localRanks.length === topology.nRanks) return;
  throw notSupported(
    `${what}: it takes all ranks of a world in one process; this process has ${localRanks.length} of ${topology.nRanks}. ` +
      'Open another world for these ranks.',
  );
}

/** Returns the new communicator, unless its parent has ended meanwhile. */
async function handed(owner: RankState, made: RankState | undefined, what: string): Promise<RankState | null> {
  try {
    owner.check(what);
  } catch (error) {
    await made?.close();
    throw error;
  }
  return made ?? null;
}
