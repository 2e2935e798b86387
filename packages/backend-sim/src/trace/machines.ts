import type { SimTraceOptions } from './cost-model.ts';

/**
 * The costs of machines by name, for `trace` and `predict`. They come from the files in the
 * repository's `profiles`, which state the source of each number. Micro-benchmarks on
 * two GPUs measured both profiles.
 */
export const machines: Readonly<Record<'h100-nvlink4' | 'h200-nvlink4', SimTraceOptions>> = Object.freeze({
  'h100-nvlink4': {
    launchLatency: 952.65,
    launchByCtas: [
      [1, 61.55],
      [8, 0],
      [64, 215.3],
      [128, 276.9],
      [264, 375.9],
    ],
    launchByRanks: [
      [2, 0],
      [4, 96.87],
    ],
    issueTime: 2.594,
    syncTime: 22.83,
    fenceTime: 1718,
    ctaFenceTime: 2341,
    ctaBandwidth: 50.51,
    memory: {
      latency: 352.3,
      cachedLatency: 142.1,
      bandwidth: 2768,
      ctaBandwidth: 162.3,
      ctaStoreBandwidth: 63.38,
      atomicLatency: 145.8,
    },
    nvlink: {
      latency: 537.6999999999999,
      loadLatency: 848.2,
      bandwidth: 330.9,
      storeBandwidth: 354.8,
      byCtas: [
        [16, 290.6],
        [32, 322],
        [64, 328],
        [128, 330.9],
      ],
      storesByCtas: [
        [16, 343.9],
        [64, 356.5],
        [128, 359.6],
      ],
      atomicLatency: 895,
    },
  },
  'h200-nvlink4': {
    launchLatency: 1064.3,
    launchByCtas: [
      [1, 2.083],
      [8, 229.4],
      [64, 340.2],
      [128, 420.5],
      [264, 363.3],
    ],
    issueTime: 2.492,
    syncTime: 22.77,
    fenceTime: 673.8,
    ctaFenceTime: 1343,
    ctaBandwidth: 50.74,
    memory: {
      latency: 338.3,
      cachedLatency: 145.4,
      bandwidth: 4052,
      ctaBandwidth: 161.6,
      ctaStoreBandwidth: 63.31,
      atomicLatency: 248.2,
    },
    nvlink: {
      latency: 595.4,
      loadLatency: 856.8,
      bandwidth: 334.3,
      storeBandwidth: 356.7,
      byCtas: [
        [16, 288.9],
        [32, 326],
        [64, 323.7],
        [128, 334.3],
      ],
      storesByCtas: [
        [16, 345.7],
        [64, 351.9],
        [128, 358.3],
      ],
      atomicLatency: 832.3,
    },
  },
});
