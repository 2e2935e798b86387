import { debugLog, expectInteger, reading } from '@nccl-ts/core';
import {
  checkGinRail,
  joinPlans,
  planDevComm,
  type DevCommPlan,
  type DevCommRequirements,
  type MultimemHandle,
  type NormalDevCommRequirements,
} from '@nccl-ts/devcomm';
import { rankCoordinates } from '@nccl-ts/topology';
import type { DevCommHandle } from '@nccl-ts/transport';
import { Collective, CollectiveKind, type CollectiveContext } from './rendezvous/collective.ts';
import { invalidArgument } from './errors.ts';
import type { RequestSummary } from './rendezvous/meeting.ts';
import type { RankState } from './rank/rank-state.ts';
import { Shared } from './rank/shared.ts';

/**
 * One rank's view of a device communicator, through which its kernels communicate. The communicator
 * owns it.
 *
 * @see ncclDevComm
 */
export interface HostDevComm extends AsyncDisposable {
  readonly kind: 'devComm';
  readonly rank: number;
  /** Its resources, and where kernels find them. */
  readonly plan: DevCommPlan;
  /**
   * The start of the multicast addresses over the LSA team; null (`mcBasePtr` 0) without the
   * requirement `lsaMultimem`.
   */
  readonly lsaMultimem: MultimemHandle;
  /**
   * The same for each team of `teamRequirementsList`, in order, for this rank's kernels; null for
   * those without `multimem`.
   */
  readonly multimemHandles: readonly MultimemHandle[];
  /**
   * Returns the device address of this rank's signal 0 in GIN context `context`, for kernels that
   * read signals as memory. The other signals of the context follow it. `undefined` if the backend
   * keeps signals elsewhere.
   */
  signalAddress(context: number): number | undefined;
  readonly isOpen: boolean;
  /**
   * Ends this rank's use of it after its launches have ended. The resources are freed when all
   * ranks have called this. A second call does nothing. The caller must make sure that no kernel of
   * another rank still uses it.
   *
   * @see ncclDevCommDestroy
   */
  destroy(): Promise<void>;
  /** Does the same as {@link HostDevComm.destroy}. */
  close(): Promise<void>;
}

/**
 * The same as {@link HostDevComm}.
 *
 * @deprecated The type in kernels had this name too: write `HostDevComm`.
 */
export type DevComm = HostDevComm;

/** The device communicator behind {@link HostDevComm}. */
export class CreatedDevComm implements HostDevComm {
  readonly kind = 'devComm' as const;
  readonly owner: RankState;
  readonly #shared: Shared<DevCommHandle>;
  #isOpen = true;

  constructor(owner: RankState, shared: Shared<DevCommHandle>) {
    this.owner = owner;
    this.#shared = shared;
    const { cftCaps } = this.plan.requirements;
    if (cftCaps !== 'none') owner.endpoints.set(this, cftCaps);
  }

  get handle(): DevCommHandle {
    return this.#shared.value;
  }

  get rank(): number {
    return this.owner.rank;
  }

  get plan(): DevCommPlan {
    return this.handle.plan;
  }

  get lsaMultimem(): MultimemHandle {
    return this.#multimem('lsa');
  }

  get multimemHandles(): readonly MultimemHandle[] {
    return Object.freeze(this.plan.requirements.teamRequirementsList.map((_, team) => this.#multimem(team)));
  }

  signalAddress(context: number): number | undefined {
    const { device } = this.owner.world;
    expectInteger('signalAddress: context', context, 0, this.plan.ginContextCount - 1);
    return device.signalAddress?.(this.handle, this.owner.worldRank, context);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async destroy(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.owner.resources.remove(this);
    this.owner.endpoints.delete(this);
    await this.owner.settle('destroy of a device communicator');
    await this.#shared.release();
  }

  #multimem(team: number | 'lsa'): MultimemHandle {
    const { device } = this.owner.world;
    return Object.freeze({ mcBasePtr: device.multimemBase?.(this.handle, this.owner.worldRank, team) ?? 0 });
  }

  async close(): Promise<void> {
    await this.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.destroy();
  }
}

/**
 * Plans a device communicator, then creates it with all ranks: see `Communicator.createDevComm`.
 */
export async function createDevComm(owner: RankState, requirements: DevCommRequirements): Promise<HostDevComm> {
  const what = 'createDevComm';
  owner.checkActive(what);
  const { api, support } = owner.world;
  const { collectiveContext: context, rendezvous, topology } = owner.group;
  const plan = reading(what, () => planDevComm(requirements, topology, support, api));
  checkMultimemTeams(plan, owner.rank);
  checkGinRail(plan, owner.rank, support);
  const shared = await rendezvous.meet(owner.rank, creations.at(context), requestSummary(plan.requirements), plan);
  return owner.adopt(new CreatedDevComm(owner, shared), what);
}

/**
 * Checks the teams. Multicast uses loads and stores, so its teams must be in the rank's own domain.
 */
function checkMultimemTeams({ requirements, topology }: DevCommPlan, rank: number): void {
  const { lsaRank, lsaSize } = rankCoordinates(topology, rank);
  requirements.teamRequirementsList.forEach(({ team, multimem }, index) => {
    const first = lsaRank - team.rank * team.stride;
    const last = first + (team.nRanks - 1) * team.stride;
    if (!multimem || (Math.min(first, last) >= 0 && Math.max(first, last) < lsaSize)) return;
    throw invalidArgument(
      `createDevComm: teamRequirementsList[${index}].team must lie in the LSA team to have multimem; given ranks ` +
        `${first} to ${last} of the LSA team of ${lsaSize}, with rank ${rank} as number ${team.rank}.`,
    );
  });
}

/**
 * Returns the requirements by name. Each rank numbers a team from its own position, so `rank` need
 * not be equal. Each rank has its own list of GIN peers.
 */
function requestSummary(requirements: NormalDevCommRequirements): RequestSummary {
  const text = (_name: string, value: unknown): unknown => (isTeam(value) ? { ...value, rank: undefined } : value);
  return Object.fromEntries(
    Object.entries({ ...requirements, ginCustomArray: null }).map(([name, value]) => [
      name,
      JSON.stringify(value, text),
    ]),
  );
}

function isTeam(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'nRanks' in value && 'stride' in value;
}

/** Creates the device communicator that all ranks have planned. */
const creations = /* @__PURE__ */ new CollectiveKind<CollectiveContext, DevCommPlan, Shared<DevCommHandle>>(
  ({ device, lifecycle, handle: group }) =>
    new Collective('createDevComm', async (plans) => {
      const plan = joinPlans(plans);
      const teamRanks = plans.map(({ requirements }) => requirements.teamRequirementsList.map(({ team }) => team.rank));
      const handle = await device.createDevComm(plan, teamRanks, group);
      debugLog('devcomm', () => `created, ${plan.resourceBytes} bytes of resources on ${plans.length} ranks`);
      return new Shared(handle, plans.length, async () => {
        if (lifecycle.isAlive) await device.destroyDevComm(handle);
      });
    }),
);
