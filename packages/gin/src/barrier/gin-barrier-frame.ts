import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import { acquireOrder, releaseOrder } from '@nccl-ts/devcomm';
import { deviceFn, deviceModule, type AuthorOf, type Coop, type DeviceFn, type DeviceModule } from '@nccl-ts/kernel';
import { flush } from '../flush.ts';
import type { GinFence } from '../gin-module.ts';
import type { GinBarrierState, GinBarrierStep } from './gin-barrier-state.ts';
import { ginStruct, type GinParts } from '../impl/gin-struct.ts';

/** The width of a barrier's counts. */
export const COUNT_BITS = 32;

/** The contexts that a barrier covers. */
const contexts: DeviceFn<(self: GinBarrierState) => number> = deviceFn({ name: 'contexts' }, ({ u32 }, self) =>
  self.allContexts === 1 ? self.net.comm.ginContextCount : u32(1),
);

/** Returns the context of step `step`. Each context has `perContext` steps. */
const contextOf: DeviceFn<(self: GinBarrierState, step: number, perContext: number) => GinParts> = deviceFn(
  { name: 'contextOf', use: { GinParts: ginStruct } },
  ({ GinParts, u32 }, self, step, perContext) =>
    GinParts({
      comm: self.net.comm,
      index: self.allContexts === 1 ? u32(step) / perContext : self.net.index,
      sharing: self.net.sharing,
    }),
);

/** Returns the member for step `step`: the next rank first, the calling rank last. */
const memberOf: DeviceFn<(self: GinBarrierState, step: number, perContext: number) => number> = deviceFn(
  { name: 'memberOf' },
  ({ i32, u32 }, self, step, perContext) => (self.team.rank + 1 + i32(u32(step) % perContext)) % self.team.nRanks,
);

/** Returns the steps of one context. A signal to the calling rank covers its puts to itself. */
const stepsPerContext: DeviceFn<(self: GinBarrierState, fence: GinFence) => number> = deviceFn(
  { name: 'stepsPerContext' },
  ({ u32 }, self, fence) => (fence === 'put' || fence === 'putGet' ? u32(self.team.nRanks) : u32(self.team.nRanks) - 1),
);

/**
 * The release that a barrier's signals are told of. A barrier whose order does not release says
 * that all is done, so that they release nothing either.
 */
const given: DeviceFn<(order: MemoryOrder) => MemoryScope> = deviceFn(
  { name: 'given', use: { releaseOrder } },
  ({ releaseOrder }, order) => (releaseOrder(order) === 'relaxed' ? 'system' : 'thread'),
);

/** Synchronizes the threads, and publishes what the group has written. */
const publish: DeviceFn<(coop: Coop, order: MemoryOrder) => void> = deviceFn(
  { name: 'publish', use: { releaseOrder } },
  ({ releaseOrder, fence }, coop, order) => {
    coop.sync();
    fence(releaseOrder(order), 'system');
  },
);

/** Waits for gets if the fence includes them, and then synchronizes the threads. */
const finish: GinBarrierStep = deviceFn(
  { name: 'finishFrame', use: { contexts, flush, acquireOrder, GinParts: ginStruct } },
  ({ contexts, flush, acquireOrder, GinParts, u32 }, self, coop, order, fence) => {
    if (fence === 'get' || fence === 'putGet') {
      for (let i = u32(0); i < contexts(self); i++) {
        const index = self.allContexts === 1 ? i : self.net.index;
        flush(GinParts({ comm: self.net.comm, index, sharing: self.net.sharing }), coop, acquireOrder(order));
      }
    }
    coop.sync();
  },
);

/** The functions of `barrierFrame` in device functions. */
export interface GinBarrierFrame {
  readonly contexts: AuthorOf<typeof contexts>;
  readonly contextOf: AuthorOf<typeof contextOf>;
  readonly memberOf: AuthorOf<typeof memberOf>;
  readonly stepsPerContext: AuthorOf<typeof stepsPerContext>;
  readonly given: AuthorOf<typeof given>;
  readonly publish: AuthorOf<typeof publish>;
  readonly finish: AuthorOf<typeof finish>;
}

/** The functions that both forms of a barrier share: `use: { frame: barrierFrame }`. */
export const barrierFrame: DeviceModule<GinBarrierFrame> = deviceModule('barrierFrame', {
  contexts,
  contextOf,
  memberOf,
  stepsPerContext,
  given,
  publish,
  finish,
});
