import { buildFault, describeAccess, FaultError, outOfFuel, type Fault, type FaultKind } from '@nccl-ts/findings';
import type { Dim3 } from '@nccl-ts/transport';
import { faultNumbers } from '../emit-wgsl/status-layout.ts';
import type { WebgpuWindowByte } from '../memory/address-space.ts';
import type { WebgpuWorldMemory } from '../memory/world-memory.ts';
import type { LaunchGroup, LaunchMember } from './group.ts';
import type { StatusView } from './status.ts';

const kinds: ReadonlyMap<number, FaultKind> = new Map(
  Object.entries(faultNumbers).flatMap(([kind, number]) => (isFaultKind(kind) ? [[number, kind] as const] : [])),
);

function isFaultKind(kind: string): kind is FaultKind {
  return Object.hasOwn(faultNumbers, kind);
}

const spaces = ['global', 'shared', 'local'] as const;

/** Returns the error of a launch that has recorded a fault, or has yielded too often. */
export function faultError(
  member: LaunchMember,
  group: LaunchGroup,
  view: StatusView,
  memory: WebgpuWorldMemory,
): FaultError {
  const { launch, slot } = member;
  const { sites } = group.code.source;
  const what = view.of(slot, 'what');
  const kind = kinds.get(what & 0xff);
  const cta = { rank: launch.rank, blockIdx: blockIdxOf(view.of(slot, 'cta'), launch.grid) };
  const printed = launch.stream.takePrinted();
  if (kind === undefined) {
    return new FaultError(outOfFuel({ kernel: launch.kernel, launch: launch.id, cta, turns: member.spent }), printed);
  }
  const number = view.of(slot, 'site');
  const site = sites[number];
  const address = view.of(slot, 'address');
  const isAccess = kind === 'outOfBounds' || kind === 'misaligned';
  const fault: Fault = {
    kind,
    site: number,
    thread: view.of(slot, 'thread'),
    ...(isAccess && {
      space: spaces[(what >> 8) & 0xff] ?? 'global',
      address,
      bytes: what >>> 16,
      region: memory.space.regionFrom(view.of(slot, 'low')),
    }),
    ...(site?.message !== undefined && { message: site.message }),
  };
  const access = isAccess ? describeAccess<WebgpuWindowByte>(fault, memory.space) : undefined;
  return new FaultError(buildFault({ kernel: launch.kernel, launch: launch.id, sites, cta, fault, access }), printed);
}

export function blockIdxOf(cta: number, { x, y }: Dim3): Dim3 {
  return { x: cta % x, y: Math.floor(cta / x) % y, z: Math.floor(cta / (x * y)) };
}
