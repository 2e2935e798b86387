import type { SimTraceOptions } from './cost-model.ts';

/**
 * The costs of machines by name, for `trace` and `predict`. They come from the files in the
 * repository's `profiles`, which state the source of each number. Micro-benchmarks on
 * two GPUs measured both profiles.
 */
export const machines: Readonly<Record<'h100-nvlink4' | 'h200-nvlink4', SimTraceOptions>> = Object.freeze({
  'h100-nvlink4': {
    launchLatency: 1001,
    launchByCtas: [
      [1, 0],
      [8, 62.88],
      [64, 296.8],
      [128, 577.3],
      [264, 495.7],
    ],
    launchByRanks: [
      [2, 0],
      [4, 405.54],
    ],
    issueTime: 2.317,
    syncTime: 22.4,
    fenceTime: 1562,
    ctaFenceTime: 2234,
    ctaBandwidth: 50.86,
    memory: {
      latency: 347.9,
      cachedLatency: 143.3,
      bandwidth: 2848,
      ctaBandwidth: 166,
      ctaStoreBandwidth: 74.18,
      atomicLatency: 144.1,
    },
    nvlink: {
      latency: 536.4000000000001,
      loadLatency: 851.1,
      bandwidth: 340.8,
      storeBandwidth: 365.6,
      byCtas: [
        [16, 291.3],
        [32, 333.8],
        [64, 334.9],
        [128, 340.8],
      ],
      storesByCtas: [
        [16, 344.2],
        [64, 353],
        [128, 360.4],
      ],
      atomicLatency: 892,
    },
  },
  'h200-nvlink4': {
    launchLatency: 803.7,
    launchByCtas: [
      [1, 0],
      [8, 157.9],
      [64, 338.8],
      [128, 378.1],
      [264, 340.7],
    ],
    issueTime: 2.407,
    syncTime: 22.61,
    fenceTime: 663.1,
    ctaFenceTime: 1326,
    ctaBandwidth: 50.4,
    memory: {
      latency: 336.4,
      cachedLatency: 156.1,
      bandwidth: 4039,
      ctaBandwidth: 165.5,
      ctaStoreBandwidth: 63.39,
      atomicLatency: 272,
    },
    nvlink: {
      latency: 604.5,
      loadLatency: 861.1,
      bandwidth: 333.6,
      storeBandwidth: 365.3,
      byCtas: [
        [16, 297.5],
        [32, 316.5],
        [64, 322.2],
        [128, 333.6],
      ],
      storesByCtas: [
        [16, 348.9],
        [64, 354.7],
        [128, 353.9],
      ],
      atomicLatency: 863.9,
    },
  },
});
