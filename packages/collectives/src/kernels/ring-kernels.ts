import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn } from '@nccl-ts/kernel';
import type { CollectivePart } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * The memory of the FIFO's links. Each link stores the number of its past parts, so calls share no
 * other state.
 */
export interface RingPlaces {
  readonly fifo: number;
}

export type RingSession = RingPlaces;

/**
 * Sends elements around a ring, in parts. Each CTA is a separate channel with its own link of the
 * FIFO.
 */
export type RingPart = CollectivePart<RingSession>;

const places = /* @__PURE__ */ structParam<RingPlaces, RingPlaces>({ struct: 'RingPlaces', fields: { fifo: u32 } });

const withFifo: DeviceFn<(comm: DevComm, places: RingPlaces, calls: (session: RingSession) => void) => void> =
  /* @__PURE__ */ deviceFn(
    { name: 'withFifo' },
    (_context, _comm: DevComm, places: RingPlaces, calls: (session: RingSession) => void) => {
      calls(places);
    },
  );

/**
 * The calls of these kernels may have `send` and `recv` at different offsets on different ranks.
 */
export function ringKernels(part: RingPart, shape: KernelShape): CollectiveKernels<RingPlaces> {
  const givenOf = (scratch: RingPlaces): RingPlaces => scratch;
  return collectiveKernels(part, { param: places, givenOf, open: withFifo }, shape);
}
