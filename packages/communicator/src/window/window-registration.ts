import { at, debugLog } from '@nccl-ts/core';
import type { WindowHandle } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import { Collective, CollectiveKind, type CollectiveContext } from '../rendezvous/collective.ts';
import { settleAll } from '../errors.ts';
import { AllocatedMemory } from './memory.ts';
import type { RankState } from '../rank/rank-state.ts';
import { Shared } from '../rank/shared.ts';

/** The arguments of a rank's `allocWindow`. Bytes, flags and name must agree among the ranks. */
export interface AllocWindowRequest {
  readonly owner: RankState;
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly name?: string;
}

/** The arguments of a rank's `registerWindow`. Bytes and flags must agree among the ranks. */
export interface RegisterWindowRequest {
  readonly memory: AllocatedMemory;
  /** The start of the window in the rank's own memory. It may differ among the ranks. */
  readonly offset: number;
  readonly bytes: number;
  readonly flags: WindowFlags;
}

/** A window over memory of all local ranks. */
export interface Registration {
  readonly shared: Shared<WindowHandle>;
  readonly memories: ReadonlyMap<RankState, AllocatedMemory>;
}

export const windowAllocations: CollectiveKind<CollectiveContext, AllocWindowRequest, Registration> =
  /* @__PURE__ */ new CollectiveKind(
    (context) =>
      new Collective('allocWindow', async (requests) => {
        const { device } = context;
        const memories: AllocatedMemory[] = [];
        try {
          for (const { owner, bytes } of requests) {
            memories.push(new AllocatedMemory(owner, await device.alloc(owner.worldRank, bytes)));
          }
          return await register(context, memories, requests);
        } catch (error) {
          // The caller gets the first error, even if freeing fails as well.
          await settleAll(
            memories.map((memory) => async () => device.free(memory.buffer)),
            'allocWindow',
          ).catch(() => undefined);
          throw error;
        }
      }),
  );

export const windowRegistrations: CollectiveKind<CollectiveContext, RegisterWindowRequest, Registration> =
  /* @__PURE__ */ new CollectiveKind(
    (context) =>
      new Collective('registerWindow', async (requests) =>
        register(
          context,
          requests.map(({ memory }) => memory),
          requests,
        ),
      ),
  );

async function register(
  { device, lifecycle, handle: group }: CollectiveContext,
  memories: readonly AllocatedMemory[],
  requests: readonly {
    readonly bytes: number;
    readonly flags: WindowFlags;
    readonly offset?: number;
    readonly name?: string;
  }[],
): Promise<Registration> {
  const [request] = requests;
  if (request === undefined) throw new RangeError('A collective call has no ranks.');
  const parts = memories.map(({ buffer }, index) => ({ buffer, offset: at(requests, index).offset ?? 0 }));
  const handle = await device.registerWindow(parts, request.bytes, request.flags, group, request.name);
  debugLog('window', () => `registered ${request.bytes} bytes on ${memories.length} ranks`);
  for (const memory of memories) memory.hold();
  const end = async (): Promise<void> => {
    if (lifecycle.isAlive) await device.deregisterWindow(handle);
    for (const memory of memories) await memory.letGo();
  };
  return {
    shared: new Shared(handle, memories.length, end),
    memories: new Map(memories.map((memory) => [memory.owner, memory])),
  };
}
