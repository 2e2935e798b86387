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
      storeLatency: 1630,
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
    launchLatency: 913.8,
    launchByCtas: [
      [1, 3.759],
      [8, 229.8],
      [64, 414.5],
      [128, 475.9],
      [264, 418.9],
    ],
    launchPlain: 236.6,
    launchByRanks: [
      [2, 0],
      [4, 404.73],
    ],
    issueTime: 2.703,
    syncTime: 22.71,
    fenceTime: 663.6,
    ctaFenceTime: 1329,
    fenceByCtas: [
      [1, 0],
      [8, 214.6],
      [64, 641.1],
    ],
    clusterTime: 178.4,
    deviceFenceTime: 124.2,
    deviceCtaFenceTime: 130.1,
    deviceStoreTime: 293.1,
    ctaBandwidth: 50.43,
    memory: {
      latency: 341.3,
      cachedLatency: 148.2,
      bandwidth: 4031,
      ctaBandwidth: 163.7,
      ctaStoreBandwidth: 63.46,
      atomicLatency: 138.9,
    },
    nvlink: {
      latency: 487.2,
      loadLatency: 857.8,
      storeLatency: 971,
      bandwidth: 336.3,
      storeBandwidth: 354.9,
      byCtas: [
        [16, 294.5],
        [32, 317.8],
        [64, 336.3],
        [128, 334.2],
      ],
      storesByCtas: [
        [16, 348.4],
        [64, 355],
        [128, 357.7],
      ],
      flagsByCtas: [
        [1, 0],
        [2, 15.41],
        [3, 17.33],
        [4, 22.79],
        [8, 52.97],
        [16, 94.88],
        [32, 151.8],
        [64, 155.9],
        [128, 196.3],
      ],
      atomicLatency: 894.7,
    },
  },
});
