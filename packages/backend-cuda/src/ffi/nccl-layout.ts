import { requirementFields } from '@nccl-ts/devcomm';

/** The position of a member in its struct. */
export interface MemberLayout {
  readonly offset: number;
  readonly bytes: number;
}

/** A struct as the compiler lays it out. Members that the installed version lacks are absent. */
export interface StructLayout {
  readonly bytes: number;
  readonly align: number;
  readonly members: Readonly<Record<string, MemberLayout>>;
  /** The bytes of NCCL's initializer, if the version has one. */
  readonly initial?: readonly number[];
}

/** The structs that are passed to and from NCCL. */
export type NcclLayout = Readonly<Record<NcclStruct, StructLayout | undefined>>;

export type NcclStruct =
  | 'devComm'
  | 'window'
  | 'lsaBarrierHandle'
  | 'requirements'
  | 'resourceRequirements'
  | 'teamRequirements'
  | 'team'
  | 'config'
  | 'properties';

interface StructQuestion {
  /** Its name in NCCL. */
  readonly type: string;
  /** The members in any version. */
  readonly members: readonly string[];
  /** The macro that initializes the struct. The struct may exist without it. */
  readonly initializer?: string;
  /** True if the struct exists only together with the initializer. */
  readonly onlyWithInitializer?: boolean;
}

const questions: Readonly<Record<NcclStruct, StructQuestion>> = {
  devComm: {
    type: 'ncclDevComm',
    members: [
      'rank',
      'nRanks',
      'lsaRank',
      'lsaSize',
      'resourceWindow',
      'lsaBarrier',
      'hybridLsaBarrier',
      'ginContextCount',
      'ginSignalCount',
      'ginCounterCount',
    ],
  },
  window: { type: 'ncclWindow_vidmem', members: ['lsaFlatBase', 'lsaRank', 'worldRank', 'stride4G', 'mcOffset4K'] },
  lsaBarrierHandle: { type: 'ncclLsaBarrierHandle', members: ['bufHandle', 'nBarriers'] },
  requirements: {
    type: 'ncclDevCommRequirements',
    members: ['size', 'magic', 'version', 'resourceRequirementsList', 'teamRequirementsList', ...requirementFields],
    initializer: 'NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER',
  },
  resourceRequirements: {
    type: 'ncclDevResourceRequirements',
    members: [
      'next',
      'bufferSize',
      'bufferAlign',
      'outBufferHandle',
      'ginSignalCount',
      'ginCounterCount',
      'outGinSignalStart',
      'outGinCounterStart',
    ],
  },
  teamRequirements: { type: 'ncclTeamRequirements', members: ['next', 'team', 'multimem', 'outMultimemHandle'] },
  team: { type: 'ncclTeam', members: ['nRanks', 'rank', 'stride'] },
  config: {
    type: 'ncclConfig_t',
    members: ['blocking', 'cgaClusterSize', 'minCTAs', 'maxCTAs', 'CTAPolicy', 'nvlsCTAs'],
    initializer: 'NCCL_CONFIG_INITIALIZER',
  },
  properties: {
    type: 'ncclCommProperties',
    members: [
      'rank',
      'nRanks',
      'cudaDev',
      'nvmlDev',
      'deviceApiSupport',
      'multimemSupport',
      'ginType',
      'nLsaTeams',
      'hostRmaSupport',
      'railedGinType',
      'cftSupport',
      'cftMulticastSupport',
      'cftCountedSupport',
      'ginSupport',
    ],
    initializer: 'NCCL_COMM_PROPERTIES_INITIALIZER',
    onlyWithInitializer: true,
  },
};

const structs = Object.entries(questions).map(([name, question]) => ({ name, ...question }));

/**
 * Returns a translation unit whose PTX contains the layouts. Each struct has an array of its size
 * and alignment and, for each member in the above order, offset and size, or -1 if the version
 * lacks it.
 */
export function layoutProbeText(): string {
  const members = [...new Set(structs.flatMap((struct) => struct.members))];
  const finders = members.flatMap((member) => [
    `template <class T, class = void> struct find_${member} { static constexpr long long at = -1, bytes = 0; };`,
    `template <class T> struct find_${member}<T, decltype((void)sizeof(T::${member}))> {`,
    `  static constexpr long long at = offsetof(T, ${member}), bytes = sizeof(T::${member});`,
    '};',
  ]);
  const answers = structs.flatMap(({ name, type, members: own, initializer, onlyWithInitializer }) => {
    const finds = own.map((member) => `find_${member}<${type}>::at, find_${member}<${type}>::bytes`);
    const layout = [`extern "C" __device__ const long long layout_${name}[] = {`].concat(
      [`  sizeof(${type}), alignof(${type}), ${finds.join(', ')}`],
      ['};'],
    );
    if (initializer === undefined) return layout;
    const initial = `extern "C" __device__ ${type} initial_${name} = ${initializer};`;
    const guarded = [`#ifdef ${initializer}`, initial, '#endif'];
    return onlyWithInitializer === true
      ? [`#ifdef ${initializer}`, ...layout, initial, '#endif']
      : [...layout, ...guarded];
  });
  return [
    '#include <cstddef>',
    '#include <cstdint>',
    '#include "nccl.h"',
    '#include "nccl_device/core.h"',
    '#include "nccl_device/impl/comm__types.h"',
    // Since 2.32 the host's requirements have their own header.
    '#if __has_include("nccl_device/host.h")',
    '#include "nccl_device/host.h"',
    '#endif',
    ...finders,
    ...answers,
    '',
  ].join('\n');
}

/**
 * Reads the layouts from the PTX.
 *
 * @throws Error if one is missing, which cannot happen with a working compiler.
 */
export function readLayout(ptx: string): NcclLayout {
  const layouts = structs.map(({ name, members }): readonly [string, StructLayout | undefined] => {
    const bytes = globalBytes(ptx, `layout_${name}`);
    if (bytes === undefined) return [name, undefined];
    const words = new DataView(bytes.buffer);
    const word = (index: number): number => Number(words.getBigInt64(8 * index, true));
    const found = members.flatMap((member, i): readonly (readonly [string, MemberLayout])[] => {
      const offset = word(2 + 2 * i);
      return offset < 0 ? [] : [[member, { offset, bytes: word(3 + 2 * i) }]];
    });
    const initial = globalBytes(ptx, `initial_${name}`);
    const layout = { bytes: word(0), align: word(1), members: Object.fromEntries(found) };
    return [name, initial === undefined ? layout : { ...layout, initial: [...initial] }];
  });
  const table: Readonly<Record<string, StructLayout | undefined>> = Object.fromEntries(layouts);
  const of = (name: NcclStruct): StructLayout | undefined => table[name];
  return {
    devComm: of('devComm'),
    window: of('window'),
    lsaBarrierHandle: of('lsaBarrierHandle'),
    requirements: of('requirements'),
    resourceRequirements: of('resourceRequirements'),
    teamRequirements: of('teamRequirements'),
    team: of('team'),
    config: of('config'),
    properties: of('properties'),
  };
}

/**
 * Returns the bytes of a variable in PTX text. PTX omits trailing zeros, and a variable that is all
 * zeros has no list.
 */
function globalBytes(ptx: string, name: string): Uint8Array<ArrayBuffer> | undefined {
  const declared = new RegExp(`\\.b8 ${name}\\[(\\d+)\\](?: = \\{([^}]*)\\})?`).exec(ptx);
  if (declared === null) return undefined;
  const bytes = new Uint8Array(Number(declared[1]));
  const listed = declared[2] ?? '';
  if (listed !== '') bytes.set(listed.split(',').map(Number));
  return bytes;
}

/** Returns the layout of a struct that every version has. @throws Error */
export function structLayout(layout: NcclLayout, name: NcclStruct): StructLayout {
  const found = layout[name];
  if (found === undefined) throw new RangeError(`The installed NCCL has no struct ${questions[name].type}.`);
  return found;
}

/** Returns the layout of a member. @throws Error if the installed version lacks it */
export function memberOf(struct: StructLayout, name: string): MemberLayout {
  const found = struct.members[name];
  if (found === undefined) throw new RangeError(`The installed NCCL has no member ${name} in it.`);
  return found;
}
