import { NcclError, ncclVersionText } from '@nccl-ts/core';
import {
  cftCapsCodes,
  ginConnectionCodes,
  ginTypeCodes,
  isCftCaps,
  isGinType,
  requirementFields,
  requirementTable,
} from '@nccl-ts/devcomm';
import type { DevCommPlan, NormalDevCommRequirements, RequirementField } from '@nccl-ts/devcomm';
import type { NcclVersionCode } from '../cuda-source.ts';
import type { Koffi } from '../ffi/koffi.ts';
import { allocateNative, setPointer, type NativeMemory } from '../ffi/native-memory.ts';
import { memberOf, structLayout, type NcclLayout, type StructLayout } from '../ffi/nccl-layout.ts';

/** Requirements in NCCL's form, with the fields for the resources of the list's nodes. */
export interface NativeRequirements {
  /** The address of the struct `ncclDevCommRequirements`. */
  readonly address: number;
  /**
   * Returns, after the creation, the locations of the nodes of `resourceRequirementsList`, in
   * order.
   */
  resources(): readonly NativeResource[];
  free(): void;
}

/** The resources of a node of `resourceRequirementsList`. */
export interface NativeResource {
  readonly bufHandle: number;
  readonly ginSignalStart: number;
  readonly ginCounterStart: number;
}

/** NCCL's value for an integer that was not chosen. */
const undefinedInt = -(2 ** 31);
const alignment = 16;

/**
 * Writes the requirements of a plan to memory, in the struct of the installed version. Its size,
 * magic number and version do not exist in 2.28. Later versions set them with their own
 * initializer. `teamRanks` has a rank's own ranks in the teams, if they differ from those of the
 * plan.
 *
 * Signals and counters of the list's nodes are requested together with the communicator's own, and
 * follow these. NCCL 2.30.7 loses those of nodes if several ranks create a communicator together.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the plan needs something that the installed version
 *   lacks.
 */
export function nativeRequirements(
  koffi: Koffi,
  layout: NcclLayout,
  plan: DevCommPlan,
  version: NcclVersionCode,
  teamRanks: readonly number[] = [],
): NativeRequirements {
  const { requirements } = plan;
  const struct = structLayout(layout, 'requirements');
  const node = structLayout(layout, 'resourceRequirements');
  const teamNode = structLayout(layout, 'teamRequirements');
  const nodes = requirements.resourceRequirementsList;
  const teams = requirements.teamRequirementsList;
  const nodesAt = roundUp(struct.bytes);
  const teamsAt = nodesAt + nodes.length * roundUp(node.bytes);
  const outAt = teamsAt + teams.length * roundUp(teamNode.bytes);
  const memory = allocateNative(koffi, outAt + (nodes.length + teams.length) * alignment);
  try {
    memory.u8.set(struct.initial ?? []);
    const { signals, counters } = nodeTotals(nodes);
    const { ginSignalCount, ginCounterCount } = requirements;
    const wanted = {
      ...requirements,
      ginSignalCount: ginSignalCount + signals,
      ginCounterCount: ginCounterCount + counters,
    };
    // NCCL's own initializer contains the version: that of the headers against which kernels are
    // compiled.
    for (const name of requirementFields) writeField(memory, struct, name, wanted, version);
    if (nodes.length > 0) pointer(memory, 0, struct, 'resourceRequirementsList', memory.address + nodesAt);
    nodes.forEach((requested, i) => {
      const at = nodesAt + i * roundUp(node.bytes);
      if (i + 1 < nodes.length) pointer(memory, at, node, 'next', memory.address + at + roundUp(node.bytes));
      pointer(memory, at, node, 'bufferSize', requested.bufferSize);
      pointer(memory, at, node, 'bufferAlign', requested.bufferAlign);
      pointer(memory, at, node, 'outBufferHandle', memory.address + outAt + i * alignment);
    });
    if (teams.length > 0) pointer(memory, 0, struct, 'teamRequirementsList', memory.address + teamsAt);
    teams.forEach(({ team, multimem }, i) => {
      const at = teamsAt + i * roundUp(teamNode.bytes);
      if (i + 1 < teams.length) pointer(memory, at, teamNode, 'next', memory.address + at + roundUp(teamNode.bytes));
      const teamAt = at + memberOf(teamNode, 'team').offset;
      const teamStruct = structLayout(layout, 'team');
      for (const name of ['nRanks', 'rank', 'stride'] as const) {
        const value = name === 'rank' ? (teamRanks[i] ?? team.rank) : team[name];
        memory.view.setInt32(teamAt + memberOf(teamStruct, name).offset, value, true);
      }
      memory.view.setUint8(at + memberOf(teamNode, 'multimem').offset, Number(multimem));
      pointer(memory, at, teamNode, 'outMultimemHandle', memory.address + outAt + (nodes.length + i) * alignment);
    });
  } catch (error) {
    memory.free();
    throw error;
  }
  return {
    address: memory.address,
    resources: () =>
      nodes.map((_, i) => {
        const before = nodeTotals(nodes.slice(0, i));
        return {
          bufHandle: memory.view.getUint32(outAt + i * alignment, true),
          ginSignalStart: requirements.ginSignalCount + before.signals,
          ginCounterStart: requirements.ginCounterCount + before.counters,
        };
      }),
    free: () => memory.free(),
  };
}

/** Returns the total number of signals and counters of the nodes. */
export function nodeTotals(nodes: NormalDevCommRequirements['resourceRequirementsList']): {
  readonly signals: number;
  readonly counters: number;
} {
  const total = (of: 'ginSignalCount' | 'ginCounterCount'): number => nodes.reduce((sum, node) => sum + node[of], 0);
  return { signals: total('ginSignalCount'), counters: total('ginCounterCount') };
}

function writeField(
  memory: NativeMemory,
  struct: StructLayout,
  name: RequirementField,
  requirements: NormalDevCommRequirements,
  version: NcclVersionCode,
): void {
  const member = struct.members[name];
  const requested = requirements[name];
  if (isArray(requested)) return;
  if (requested === 'customArray') throw unknownLayout(name, version);
  if (member === undefined) {
    const force = struct.members['ginForceEnable'];
    // The connection that is now called 'full' had another name.
    if (name === 'ginConnectionType' && requested === 'full' && force !== undefined)
      memory.view.setUint8(force.offset, 1);
    else if (requested !== requirementTable[name].default) throw lacks(name, version);
    return;
  }
  // Older versions have the field, but not this value.
  if (requested === 'customStride' && struct.members['ginCustomStride'] === undefined) {
    throw lacks('ginCustomStride', version);
  }
  const value = integerOf(requested);
  if (member.bytes === 1) memory.view.setUint8(member.offset, value);
  else memory.view.setInt32(member.offset, value, true);
}

type RequirementValue = NormalDevCommRequirements[RequirementField];

/** True for the list of ranks. `Array.isArray` does not narrow read-only arrays. */
function isArray(value: RequirementValue): value is readonly number[] {
  return Array.isArray(value);
}

function integerOf(value: Exclude<RequirementValue, readonly number[] | 'customArray'>): number {
  if (value === null) return undefinedInt;
  if (typeof value !== 'string') return Number(value);
  if (isCftCaps(value)) return cftCapsCodes[value];
  return isGinType(value) ? ginTypeCodes[value] : ginConnectionCodes[value];
}

/** Pointers and sizes both take 8 bytes. */
function pointer(memory: NativeMemory, at: number, struct: StructLayout, name: string, value: number): void {
  setPointer(memory.view, at + memberOf(struct, name).offset, value);
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

function unknownLayout(what: RequirementField, version: NcclVersionCode): NcclError {
  return new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `Cannot require ginConnectionType 'customArray' of NCCL ${ncclVersionText(version)}: it came with 2.32.6, and no ` +
      "published header shows the layout of that version's struct. Use 'full', 'rail' or 'customStride'.",
    { details: { what, version } },
  );
}

function lacks(what: RequirementField, version: NcclVersionCode): NcclError {
  return new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `NCCL ${ncclVersionText(version)} has no requirement ${what} of device communicators; ${ncclVersionText(requirementTable[what].since)} brings it.`,
    { details: { what, version } },
  );
}
