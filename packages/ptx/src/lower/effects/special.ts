import { binary, builtin, constant, convert, scalarType, unary, type Builtin, type Expression } from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';
import { add, sub, u32, variable } from './build.ts';
import { laneId } from './lanes.ts';

type Axis = 'x' | 'y' | 'z';

const byAxis: ReadonlyMap<string, (axis: Axis) => Expression> = new Map(
  Object.entries<(axis: Axis) => Expression>({
    tid: (axis) => builtin(`threadIdx.${axis}`),
    ntid: (axis) => builtin(`blockDim.${axis}`),
    ctaid: (axis) => builtin(`blockIdx.${axis}`),
    nctaid: (axis) => builtin(`gridDim.${axis}`),
    clusterid: (axis) => builtin(`blockIdx.${axis}`),
    nclusterid: (axis) => builtin(`gridDim.${axis}`),
    cluster_ctaid: () => u32(0),
    cluster_nctaid: () => u32(1),
  }),
);

const one = u32(1);
const ownLane = binary('shl', one, laneId);
const below = sub(ownLane, one);
const upTo = binary('or', below, ownLane);

const plain: ReadonlyMap<string, () => Expression> = new Map(
  Object.entries<() => Expression>({
    laneid: () => laneId,
    warpid: () => binary('shr', builtin('threadLinear'), u32(5)),
    nwarpid: () => binary('shr', add(builtin('blockThreads'), u32(31)), u32(5)),
    smid: () => blockIndex(),
    nsmid: () => times('gridDim.x', times('gridDim.y', builtin('gridDim.z'))),
    gridid: () => constant('u64', 0n),
    cluster_ctarank: () => u32(0),
    cluster_nctarank: () => u32(1),
    is_explicit_cluster: () => constant('bool', false),
    lanemask_eq: () => ownLane,
    lanemask_lt: () => below,
    lanemask_le: () => upTo,
    lanemask_gt: () => unary('bitNot', upTo),
    lanemask_ge: () => unary('bitNot', below),
  }),
);

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

/**
 * The value of the special register `name` (`%tid.x`), as wide as the register is; `undefined` for
 * other names. A clock emits a statement that reads it. Each block is a separate cluster, and the
 * only block on its multiprocessor. The sizes of shared memory are handled elsewhere, by the
 * translation of the function.
 */
export function special(name: string, lowering: Lowering): Expression | undefined {
  const [register = '', axis] = name.replace(/^%/u, '').split('.');
  if (axis !== undefined) return isAxis(axis) ? byAxis.get(register)?.(axis) : undefined;
  const part = clocks.get(register);
  if (part !== undefined) return readClock(lowering, part);
  const half = workspaceHalves.get(register);
  return half === undefined ? plain.get(register)?.() : halfOf(lowering.gridWorkspace(), half);
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
