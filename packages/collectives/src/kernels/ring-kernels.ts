import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn } from '@nccl-ts/kernel';
import type { CollectivePart } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/**
 * The memory of the FIFO's links. Each link stores the number of its past parts, so calls share no
 * other state.
 */
export interface RingScratch {
  readonly fifo: number;
}

export type RingSession = RingScratch;

/**
 * Sends elements around a ring, in parts. Each CTA is a separate channel with its own link of the
 * FIFO.
 */
export type RingPart = CollectivePart<RingSession>;

const scratchParam = /* @__PURE__ */ structParam<RingScratch, RingScratch>({
  struct: 'RingScratch',
  fields: { fifo: u32 },
});

const withFifo: DeviceFn<(comm: DevComm, buffers: RingScratch, calls: (session: RingSession) => void) => void> =
  /* @__PURE__ */ deviceFn(
    { name: 'withFifo' },
    (_context, _comm: DevComm, places: RingScratch, calls: (session: RingSession) => void) => {
      calls(places);
    },
  );

/**
 * The calls of these kernels may have `send` and `recv` at different offsets on different ranks.
 */
export function ringKernels(part: RingPart, shape: KernelShape): CollectiveKernels<RingScratch> {
  const givenOf = (scratch: RingScratch): RingScratch => scratch;
  return collectiveKernels(part, { param: scratchParam, givenOf, open: withFifo }, shape);
}
