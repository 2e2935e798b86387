import type { SimTraceOptions } from './cost-model.ts';

/**
 * The costs of machines by name, for `trace` and `predict`. They come from the files in the
 * repository's `profiles`, which state the source of each number. Micro-benchmarks on
 * two GPUs measured both profiles.
 */
export const machines: Readonly<Record<'h100-nvlink4' | 'h200-nvlink4', SimTraceOptions>> = Object.freeze({
  'h100-nvlink4': {
    launchLatency: 810.4,
    launchByCtas: [
      [1, 0],
      [8, 126],
      [64, 344.2],
      [128, 499],
      [264, 438.7],
    ],
    issueTime: 2.469,
    syncTime: 23.1,
    fenceTime: 1589,
    ctaBandwidth: 50.53,
    memory: {
      latency: 349.9,
      cachedLatency: 142.7,
      bandwidth: 2795,
      ctaBandwidth: 164.5,
      ctaStoreBandwidth: 63.22,
      atomicLatency: 265.8,
    },
    nvlink: {
      latency: 653.8,
      loadLatency: 852.1,
      bandwidth: 339.4,
      storeBandwidth: 365.5,
      byCtas: [
        [16, 295.4],
        [32, 327.9],
        [64, 339.4],
        [128, 332.5],
      ],
      storesByCtas: [
        [16, 344.7],
        [64, 357.5],
        [128, 360.6],
      ],
      atomicLatency: 867.1,
    },
  },
  'h200-nvlink4': {
    launchLatency: 686.15,
    launchByCtas: [
      [1, 0],
      [8, 284.3],
      [64, 322.4],
      [128, 323.6],
      [264, 303.3],
    ],
    issueTime: 2.703,
    syncTime: 22.73,
    fenceTime: 665.6,
    ctaBandwidth: 50.27,
    memory: {
      latency: 342.4,
      cachedLatency: 144.8,
      bandwidth: 4058,
      ctaBandwidth: 167.8,
      ctaStoreBandwidth: 63.48,
      atomicLatency: 246.6,
    },
    nvlink: {
      latency: 642.9000000000001,
      loadLatency: 857.4,
      bandwidth: 333.4,
      storeBandwidth: 354.6,
      byCtas: [
        [16, 298.6],
        [32, 319.4],
        [64, 325.2],
        [128, 333.4],
      ],
      storesByCtas: [
        [16, 338.6],
        [64, 350.7],
        [128, 360.2],
      ],
      atomicLatency: 849.8,
    },
  },
});
