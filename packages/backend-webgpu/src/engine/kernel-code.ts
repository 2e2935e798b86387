import { debugLog, NcclError } from '@nccl-ts/core';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import type { WgslSource } from '../wgsl-source.ts';
import { pipelinesOf, type Pipelines } from './pipelines.ts';

/** A kernel's text, compiled for the device. */
export interface KernelCode extends Pipelines {
  readonly source: WgslSource;
  /**
   * The number of rounds that a launch takes, as far as is known from earlier ones. That many are
   * submitted before the status is read.
   */
  rounds: number;
}

/** A compilation that takes longer than this is reported while it runs. */
const SLOW_MILLISECONDS = 2000;

/** @throws NcclError `NCCL_INTERNAL_ERROR` if the device rejects the text */
export async function compileCode(
  device: AcquiredDevice,
  name: string,
  source: WgslSource,
  segments: number,
): Promise<KernelCode> {
  const started = performance.now();
  const slow = setTimeout(() => {
    debugLog(
      'webgpu',
      () => `still compiling ${name} after ${SLOW_MILLISECONDS / 1000} s: ${source.text.length} characters of WGSL`,
    );
  }, SLOW_MILLISECONDS);
  try {
    const pipelines = await device.unlessLost(`compile ${name}`, pipelinesOf(device.device, name, source, segments));
    debugLog('webgpu', () => `compiled ${name}: ${source.text.length} characters, ${performance.now() - started} ms`);
    return { source, ...pipelines, rounds: source.rounds ?? 1 };
  } catch (cause) {
    device.check(`compile ${name}`);
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new NcclError(
      'NCCL_INTERNAL_ERROR',
      `The device refuses the WGSL generated for kernel '${name}': a defect of @nccl-ts/backend-webgpu, or of the driver.\n${message}`,
      { cause },
    );
  } finally {
    clearTimeout(slow);
  }
}
