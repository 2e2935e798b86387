import { NcclError, showValue } from '@nccl-ts/core';
import type { Topology } from '@nccl-ts/topology';
import { layoutResourceWindow } from '@nccl-ts/window';
import type { ResourceLayout } from '@nccl-ts/window';
import { apiRuntime, type ApiVersionOptions } from './api-version.ts';
import { cftBarrierBytes, type CftBarrierHandle } from './cft-barrier-handle.ts';
import { ginBarrierSignals } from './gin-barrier-requirement.ts';
import type { GinBarrierForm, GinBarrierHandle } from './gin-barrier-requirement.ts';
import type { GinConnectionType } from './gin-connection-type.ts';
import { checkGinArray } from './gin-custom-array.ts';
import { lsaBarrierBytes } from './lsa-barrier-requirement.ts';
import type { LsaBarrierHandle } from './lsa-barrier-requirement.ts';
import { sharesLsaBarriers } from './requirement-versions.ts';
import type { DevCommRequirements, DevResourceRequirements, NormalDevCommRequirements } from './requirements.ts';
import type { ResourceSupport } from './resource-support.ts';
import { requestedGinConnection, validateDevCommRequirements } from './validate-requirements.ts';

/** The resources of one node of `resourceRequirementsList`. */
export interface DevResourceHandles {
  /** The byte offset in the resource window / 128. */
  readonly bufHandle: number;
  readonly ginSignalStart: number;
  readonly ginCounterStart: number;
}

/**
 * The plan of a device communicator: the requirements, and the location of each resource. It is the
 * same on all ranks (except for the `rank` of teams and lists of GIN peers), is frozen, and can be
 * serialized as JSON. Every rank needs `resourceBytes` zeroed bytes in one symmetric window.
 */
export interface DevCommPlan {
  /** The version of the device API for which its kernels must be built. */
  readonly apiVersion: number;
  readonly requirements: NormalDevCommRequirements;
  readonly topology: Topology;
  /** The connection in effect. */
  readonly ginConnection: GinConnectionType;
  /** 0 without a connection. */
  readonly ginContextCount: number;
  /**
   * A rank reaches those whose distance in world ranks is a multiple of this: 1 for all, `lsaSize`
   * for the rail, 0 without a connection, -1 for lists of ranks (`customArray`).
   */
  readonly ginContextStride: number;
  /**
   * For `customArray`, by rank: the ranks with which the rank and they both list each other.
   * Present once all ranks have created the device communicator.
   */
  readonly ginPeers?: readonly (readonly number[])[];
  /** The form of GIN barriers. */
  readonly ginBarriers: GinBarrierForm;
  readonly lsaBarrier: LsaBarrierHandle;
  readonly hybridLsaBarrier: LsaBarrierHandle;
  readonly worldGinBarrier: GinBarrierHandle;
  readonly railGinBarrier: GinBarrierHandle;
  readonly hybridWorldGinBarrier: GinBarrierHandle;
  readonly hybridRailGinBarrier: GinBarrierHandle;
  readonly cftBarrier: CftBarrierHandle;
  readonly cftMultimemBarrier: CftBarrierHandle;
  /** One for each node of `resourceRequirementsList`, in order. */
  readonly resources: readonly DevResourceHandles[];
  /** The number of signals of one context, including those of barriers and list nodes. */
  readonly ginSignalCount: number;
  /** The first signal of the list nodes. Those of barriers end here, and come after the user's. */
  readonly ginListSignalStart: number;
  /** The number of counters of one context, including those of list nodes. */
  readonly ginCounterCount: number;
  /**
   * The start of the shadows of the signals in the resource window: for each context, a u64 for
   * each signal.
   */
  readonly ginSignalShadowsOffset: number;
  /** The bytes of the resource window; 0 if there is none. */
  readonly resourceBytes: number;
}

type ResourceNode = Required<DevResourceRequirements>;

const largestInt = 2 ** 31 - 1;

/**
 * Validates requirements and lays out their resources in NCCL's order. Signal ids are first the
 * user's, then those of world GIN barriers, rail GIN barriers, hybrid barriers, and the list nodes.
 *
 * @throws NcclError as `validateDevCommRequirements` does, and `NCCL_INVALID_ARGUMENT` if a team
 *   does not fit in the topology or the requirements together are too large.
 * @see ncclDevCommCreate
 */
export function planDevComm(
  requirements: DevCommRequirements,
  topology: Topology,
  support: ResourceSupport,
  options: ApiVersionOptions = {},
): DevCommPlan {
  const requested = validateDevCommRequirements(requirements, support, options);
  const runtime = apiRuntime(support, options);
  checkTeams(requested, topology);
  checkGinArray(requested, topology);
  const { nRanks, lsaSize, nLsaTeams } = topology;
  const ginConnection = requestedGinConnection(requested);
  const ginContextCount = ginConnection === 'none' ? 0 : requested.ginContextCount;
  const ginContextStride = ginStride(ginConnection, requested, topology, support);
  const form = support.ginBarriers ?? 'perPeer';

  const list = new Layout(requested.ginSignalCount, requested.ginCounterCount);
  const worldGin = list.add(ginBarriers(requested.worldGinBarrierCount, nRanks, form));
  const railGin = list.add(ginBarriers(requested.railGinBarrierCount, nLsaTeams, form));
  const lsa = list.add(lsaBarriers(requested.lsaBarrierCount, lsaSize));
  const hybridWorldGin = list.add(
    ginBarriers(ginConnection === 'rail' || ginContextStride > 1 ? 0 : requested.barrierCount, nRanks, form),
  );
  const hybridRailGin = list.add(ginBarriers(requested.barrierCount, nLsaTeams, form));
  const hybridLsa = list.add(lsaBarriers(requested.barrierCount, lsaSize));
  const cftCount = requested.cftCaps === 'none' ? 0 : requested.cftBarrierCount;
  const cftMultimemCount = requested.cftCaps === 'cftMultimem' ? requested.cftBarrierCount : 0;
  const cft = list.add(cftBarriers(cftCount, nRanks));
  const cftMultimem = list.add(cftBarriers(cftMultimemCount, lsaSize));
  const ginListSignalStart = list.ginSignalCount;
  const resources = requested.resourceRequirementsList.map((node) => list.add(node));
  const { handles, window } = list.finish(ginContextCount);

  const at = (index: number): DevResourceHandles => handles[index] ?? missing(index);
  const lsaBarrier = Object.freeze({ bufHandle: at(lsa).bufHandle, nBarriers: requested.lsaBarrierCount });
  return Object.freeze({
    apiVersion: requested.apiVersion ?? runtime.version,
    requirements: requested,
    topology: Object.freeze({ nRanks, lsaSize, nLsaTeams }),
    ginConnection,
    ginContextCount,
    ginContextStride,
    ginBarriers: form,
    lsaBarrier,
    hybridLsaBarrier: sharesLsaBarriers(requested, runtime)
      ? lsaBarrier
      : Object.freeze({ bufHandle: at(hybridLsa).bufHandle, nBarriers: requested.barrierCount }),
    worldGinBarrier: Object.freeze({ signal0: at(worldGin).ginSignalStart }),
    railGinBarrier: Object.freeze({ signal0: at(railGin).ginSignalStart }),
    hybridWorldGinBarrier: Object.freeze({ signal0: at(hybridWorldGin).ginSignalStart }),
    hybridRailGinBarrier: Object.freeze({ signal0: at(hybridRailGin).ginSignalStart }),
    cftBarrier: Object.freeze({ bufHandle: at(cft).bufHandle, nBarriers: cftCount }),
    cftMultimemBarrier: Object.freeze({ bufHandle: at(cftMultimem).bufHandle, nBarriers: cftMultimemCount }),
    resources: Object.freeze(resources.map(at)),
    ginSignalCount: list.ginSignalCount,
    ginListSignalStart,
    ginCounterCount: list.ginCounterCount,
    ginSignalShadowsOffset: window.ginSignalShadowsOffset,
    resourceBytes: window.bytes,
  });
}

/**
 * Returns the stride of the ranks that the connection reaches.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for a custom stride that does not reach the rail, or
 *   that needs more than the ranks have; `NCCLTS_NOT_SUPPORTED` for barriers over one.
 */
function ginStride(
  connection: GinConnectionType,
  { ginCustomStride: stride, barrierCount, worldGinBarrierCount }: NormalDevCommRequirements,
  { lsaSize }: Topology,
  support: ResourceSupport,
): number {
  switch (connection) {
    case 'none':
      return 0;
    case 'full':
      return 1;
    case 'rail':
      return lsaSize;
    case 'customArray':
      return -1;
    case 'customStride':
      break;
  }
  const refuse = (code: 'NCCL_INVALID_ARGUMENT' | 'NCCLTS_NOT_SUPPORTED', why: string): NcclError =>
    new NcclError(code, `Cannot create a device communicator: ${why}`, {
      details: { ginCustomStride: stride, lsaSize, barrierCount, worldGinBarrierCount },
    });
  if (lsaSize % stride !== 0) {
    throw refuse(
      'NCCL_INVALID_ARGUMENT',
      `ginCustomStride must divide ${lsaSize}, the size of the load-store domain; given ${stride}.`,
    );
  }
  if (support.gin === 'rail' && stride !== lsaSize) {
    throw refuse(
      'NCCL_INVALID_ARGUMENT',
      `ginCustomStride ${stride} asks for GIN between rails; these ranks reach only their rail, allowed is ${lsaSize}.`,
    );
  }
  const needsAll = worldGinBarrierCount > 0 && stride > 1;
  if (needsAll || (barrierCount > 0 && stride > 1 && stride < lsaSize)) {
    throw refuse(
      'NCCLTS_NOT_SUPPORTED',
      `${needsAll ? `worldGinBarrierCount ${worldGinBarrierCount}` : `barrierCount ${barrierCount}`} needs barriers ` +
        `over a connection of stride ${stride}, which nccl-ts does not support. Require railGinBarrierCount, or ` +
        "ginConnectionType 'full'.",
    );
  }
  return stride;
}

/**
 * Returns the first difference between two ranks' plans, as `field: a / b`, or undefined if they
 * can share a device communicator. The `rank` of teams and lists of GIN peers may differ.
 */
export function devCommPlanDifference(a: DevCommPlan, b: DevCommPlan): string | undefined {
  return difference('', a, b);
}

/** The requirements that each rank has of its own. */
const ownFields = /^requirements\.(teamRequirementsList\.\d+\.team\.rank|ginCustomArray)$/;

function difference(path: string, a: unknown, b: unknown): string | undefined {
  if (Object.is(a, b) || ownFields.test(path)) return undefined;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return `${path}: ${showValue(a)} / ${showValue(b)}`;
  }
  const fieldsOfB = new Map<string, unknown>(Object.entries(b));
  for (const [name, value] of Object.entries(a)) {
    const found = difference(path === '' ? name : `${path}.${name}`, value, fieldsOfB.get(name));
    if (found !== undefined) return found;
  }
  const added = [...fieldsOfB.keys()].find((name) => !Object.hasOwn(a, name));
  return added === undefined ? undefined : `${path}.${added}: undefined / ${showValue(fieldsOfB.get(added))}`;
}

/** Collects nodes. Buffers, signals and counters are in the order of `add`. */
class Layout {
  readonly #nodes: ResourceNode[] = [];
  readonly #starts: Omit<DevResourceHandles, 'bufHandle'>[] = [];
  ginSignalCount: number;
  ginCounterCount: number;

  constructor(ginSignalCount: number, ginCounterCount: number) {
    this.ginSignalCount = ginSignalCount;
    this.ginCounterCount = ginCounterCount;
  }

  /** Adds a node, and returns its index. */
  add(node: ResourceNode): number {
    this.#starts.push({ ginSignalStart: this.ginSignalCount, ginCounterStart: this.ginCounterCount });
    this.ginSignalCount += node.ginSignalCount;
    this.ginCounterCount += node.ginCounterCount;
    return this.#nodes.push(node) - 1;
  }

  finish(ginContexts: number): { readonly handles: readonly DevResourceHandles[]; readonly window: ResourceLayout } {
    checkTotal('GIN signals', this.ginSignalCount);
    checkTotal('GIN counters', this.ginCounterCount);
    const window = layoutResourceWindow({
      buffers: this.#nodes.map((node) => ({ bytes: node.bufferSize, align: node.bufferAlign })),
      ginContexts,
      ginSignals: this.ginSignalCount,
    });
    const handles = this.#starts.map((start, index) =>
      Object.freeze({ bufHandle: window.handles[index] ?? missing(index), ...start }),
    );
    return { handles, window };
  }
}

function ginBarriers(nBarriers: number, teamRanks: number, form: GinBarrierForm): ResourceNode {
  return {
    bufferSize: 0,
    bufferAlign: 0,
    ginSignalCount: ginBarrierSignals(teamRanks, nBarriers, form),
    ginCounterCount: 0,
  };
}

function lsaBarriers(nBarriers: number, teamRanks: number): ResourceNode {
  return { bufferSize: lsaBarrierBytes(teamRanks, nBarriers), bufferAlign: 4, ginSignalCount: 0, ginCounterCount: 0 };
}

function cftBarriers(nBarriers: number, teamRanks: number): ResourceNode {
  return { bufferSize: cftBarrierBytes(teamRanks, nBarriers), bufferAlign: 4, ginSignalCount: 0, ginCounterCount: 0 };
}

function checkTeams(requirements: NormalDevCommRequirements, topology: Topology): void {
  requirements.teamRequirementsList.forEach(({ team, multimem }, index) => {
    const span = (team.nRanks - 1) * Math.abs(team.stride) + 1;
    const most = multimem ? topology.lsaSize : topology.nRanks;
    if (span <= most) return;
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `teamRequirementsList[${index}].team must lie within ${most} neighbouring ranks${multimem ? ', its load-store domain' : ''}; given ${team.nRanks} ranks with stride ${team.stride}, which span ${span}.`,
      { details: { index, span, most } },
    );
  });
}

function checkTotal(what: string, total: number): void {
  if (total <= largestInt) return;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `A device communicator has at most ${largestInt} ${what} in a context; given asks for ${total} in all.`,
    { details: { what, given: total, max: largestInt } },
  );
}

function missing(index: number): never {
  throw new NcclError('NCCL_INTERNAL_ERROR', `Resource ${index} of a device communicator has no location.`);
}
