import {
  binary,
  builtin,
  clusterCtas,
  clockFidelity,
  constant,
  convert,
  scalarType,
  unary,
  type Builtin,
  type ClusterSize,
  type Expression,
} from '@nccl-ts/ir';
import { approximate, exact, type Fidelity } from '@nccl-ts/core';
import { clusterIndex, indexInCluster, isExplicit, ownRank } from '../cluster-addresses.ts';
import { nameApproximation, type Lowering } from '../lowering.ts';
import { add, sub, u32, variable } from './build.ts';
import { laneId } from './lanes.ts';

type Axis = 'x' | 'y' | 'z';

/** A special register, as a value, and how closely that follows the machine. */
export interface SpecialRegister<Argument extends readonly unknown[]> {
  readonly value: (...args: readonly [...Argument, cluster: ClusterSize]) => Expression;
  readonly fidelity: Fidelity;
}

const inGrid = exact('packages/ptx/test/threads/special.test.ts');
const cluster = exact('packages/ptx/test/threads/clusters.test.ts');

const registersByAxis: Readonly<Record<string, SpecialRegister<[Axis]>>> = {
  tid: { value: (axis) => builtin(`threadIdx.${axis}`), fidelity: inGrid },
  ntid: { value: (axis) => builtin(`blockDim.${axis}`), fidelity: inGrid },
  ctaid: { value: (axis) => builtin(`blockIdx.${axis}`), fidelity: inGrid },
  nctaid: { value: (axis) => builtin(`gridDim.${axis}`), fidelity: inGrid },
  clusterid: { value: clusterIndex, fidelity: cluster },
  nclusterid: { value: clustersOf, fidelity: cluster },
  cluster_ctaid: { value: indexInCluster, fidelity: cluster },
  cluster_nctaid: { value: (axis, size) => u32(size[axis]), fidelity: cluster },
};

/** A launch without clusters. */
const single: ClusterSize = Object.freeze({ x: 1, y: 1, z: 1 });

/** The number of clusters of the grid along an axis. */
function clustersOf(axis: Axis, { [axis]: size }: ClusterSize): Expression {
  const ctas = builtin(`gridDim.${axis}`);
  return size === 1 ? ctas : binary('div', ctas, u32(size));
}

const one = u32(1);
const ownLane = binary('shl', one, laneId);
const below = sub(ownLane, one);
const upTo = binary('or', below, ownLane);

const plainRegisters: Readonly<Record<string, SpecialRegister<[]>>> = {
  laneid: { value: () => laneId, fidelity: inGrid },
  warpid: {
    value: () => binary('shr', builtin('threadLinear'), u32(5)),
    fidelity: approximate('%warpid as the index of the thread divided by 32'),
  },
  nwarpid: {
    value: () => binary('shr', add(builtin('blockThreads'), u32(31)), u32(5)),
    fidelity: approximate('%nwarpid as the number of warps of the block'),
  },
  smid: { value: () => blockIndex(), fidelity: approximate("%smid as the block's index") },
  nsmid: {
    value: () => times('gridDim.x', times('gridDim.y', builtin('gridDim.z'))),
    fidelity: approximate('%nsmid as the number of blocks'),
  },
  gridid: { value: () => constant('u64', 0n), fidelity: approximate('%gridid as 0') },
  cluster_ctarank: { value: ownRank, fidelity: cluster },
  cluster_nctarank: { value: (size) => u32(clusterCtas(size)), fidelity: cluster },
  lanemask_eq: { value: () => ownLane, fidelity: inGrid },
  lanemask_lt: { value: () => below, fidelity: inGrid },
  lanemask_le: { value: () => upTo, fidelity: inGrid },
  lanemask_gt: { value: () => unary('bitNot', upTo), fidelity: inGrid },
  lanemask_ge: { value: () => unary('bitNot', below), fidelity: inGrid },
};

const byAxis: ReadonlyMap<string, SpecialRegister<[Axis]>> = new Map(Object.entries(registersByAxis));
const plain: ReadonlyMap<string, SpecialRegister<[]>> = new Map(Object.entries(plainRegisters));

function times(left: Builtin, right: Expression): Expression {
  return binary('mul', builtin(left), right);
}

/** x + gridDim.x * (y + gridDim.y * z) */
function blockIndex(): Expression {
  const rows = add(builtin('blockIdx.y'), times('gridDim.y', builtin('blockIdx.z')));
  return add(builtin('blockIdx.x'), times('gridDim.x', rows));
}

type Half = 'low' | 'high';

/** The halves of the address of the workspace of a cooperative launch. */
const workspaceHalves: ReadonlyMap<string, Half> = new Map([
  ['envreg1', 'high'],
  ['envreg2', 'low'],
]);

/** The part of the u64 counter that a clock returns. A nanosecond is one cycle. */
const clocks: ReadonlyMap<string, 'whole' | Half> = new Map(
  Object.entries<'whole' | Half>({
    clock: 'low',
    clock_hi: 'high',
    clock64: 'whole',
    globaltimer: 'whole',
    globaltimer_lo: 'low',
    globaltimer_hi: 'high',
  }),
);

const workspace = exact('packages/harness/test/grid-sync.test.ts');

/** All special registers, without the axis. */
export function specialRegisters(): ReadonlyMap<string, Fidelity> {
  return new Map([
    ...[...byAxis, ...plain].map(([name, { fidelity }]) => [name, fidelity] as const),
    ...[...clocks.keys()].map((name) => [name, clockFidelity] as const),
    ...[...workspaceHalves.keys()].map((name) => [name, workspace] as const),
    [explicitCluster, cluster] as const,
    ...sharedSizes.map((name) => [name, inGrid] as const),
  ]);
}

/** True if the launch names the size of its clusters. */
const explicitCluster = 'is_explicit_cluster';

/** The translation of the function knows them. */
const sharedSizes = ['total_smem_size', 'aggr_smem_size', 'dynamic_smem_size'];

/**
 * The value of the special register `name` (`%tid.x`), as wide as the register is; `undefined` for
 * other names. A clock emits a statement that reads it. Each block is the
 * only one on its multiprocessor; checks that read such a register name it. The sizes of shared
 * memory are handled elsewhere, by the translation of the function.
 */
export function special(name: string, lowering: Lowering): Expression | undefined {
  const [register = '', axis] = name.replace(/^%/u, '').split('.');
  if (axis !== undefined) return isAxis(axis) ? valueOf(byAxis.get(register), lowering, axis) : undefined;
  const part = clocks.get(register);
  if (part !== undefined) return readClock(lowering, part);
  if (register === explicitCluster) return isExplicit(lowering.cluster);
  const half = workspaceHalves.get(register);
  return half === undefined ? valueOf(plain.get(register), lowering) : halfOf(lowering.gridWorkspace(), half);
}

function valueOf<Argument extends readonly unknown[]>(
  register: SpecialRegister<Argument> | undefined,
  lowering: Lowering,
  ...args: Argument
): Expression | undefined {
  if (register === undefined) return undefined;
  nameApproximation(register.fidelity, lowering);
  return register.value(...args, lowering.cluster ?? single);
}

function isAxis(axis: string): axis is Axis {
  return axis === 'x' || axis === 'y' || axis === 'z';
}

function readClock(lowering: Lowering, part: 'whole' | Half): Expression {
  const { id, value } = variable(lowering, 'clock', scalarType('u64'));
  lowering.emit({ kind: 'clock', local: id, span: lowering.span });
  return part === 'whole' ? value : halfOf(value, part);
}

function halfOf(value: Expression, half: Half): Expression {
  return convert(scalarType('u32'), half === 'low' ? value : binary('shr', value, constant('u64', 32n)));
}
