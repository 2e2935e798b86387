import type { SimTraceOptions } from './cost-model.ts';

/**
 * The costs of machines by name, for `trace` and `predict`. They come from the files in the
 * repository's `profiles`, which state the source of each number. Micro-benchmarks measured the
 * H100 profile. The H200 profile is based on publications.
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
    launchLatency: 1000,
    syncTime: 30,
    fenceTime: 20,
    ctaBandwidth: 65,
    memory: {
      latency: 600,
      cachedLatency: 270,
      bandwidth: 3800,
      ctaBandwidth: 100,
    },
    nvlink: {
      latency: 480,
      loadLatency: 1300,
      bandwidth: 335,
      storeBandwidth: 364,
    },
  },
});
