import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn } from '@nccl-ts/kernel';
import type { CollectivePart, CollectivePlaces } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

interface Places {
  readonly fifo: number;
}

/**
 * The location of the links of the FIFO. The links count their parts, so calls share nothing else.
 */
export type RingSession = Places;

/**
 * Sends elements around a ring, in parts. Each CTA is a separate channel with its own link of the
 * FIFO.
 */
export type RingPart = CollectivePart<RingSession>;

const places = /* @__PURE__ */ structParam<Places, Places>({ struct: 'RingPlaces', fields: { fifo: u32 } });

const withFifo: DeviceFn<(comm: DevComm, places: Places, calls: (session: RingSession) => void) => void> =
  /* @__PURE__ */ deviceFn(
    { name: 'withFifo' },
    (_context, _comm: DevComm, places: Places, calls: (session: RingSession) => void) => {
      calls(places);
    },
  );

/** `send` and `recv` of the kernels' calls may have different offsets on different ranks. */
export function ringKernels(part: RingPart, shape: KernelShape): CollectiveKernels {
  const givenOf = ({ ringFifo }: CollectivePlaces): Places => ({ fifo: ringFifo });
  return collectiveKernels(part, { param: places, givenOf, open: withFifo }, shape);
}
