import type { SimTraceOptions } from './cost-model.ts';

/**
 * The costs of machines by name, for `trace` and `predict`: those of the files in the repository's
 * `profiles`, which say where each number is from. The one for H100s is measured, by
 * micro-benchmarks. The one for H200s is from publications.
 */
export const machines: Readonly<Record<'h100-nvlink4' | 'h200-nvlink4', SimTraceOptions>> = Object.freeze({
  'h100-nvlink4': {
    launchLatency: 681.5,
    launchByCtas: [
      [1, 0],
      [8, 134],
      [64, 203.2],
      [128, 241.7],
    ],
    syncTime: 22.91,
    fenceTime: 1709,
    ctaBandwidth: 50.54,
    memory: {
      latency: 352.4,
      cachedLatency: 144.6,
      bandwidth: 2685,
      ctaBandwidth: 166.9,
      ctaStoreBandwidth: 63.55,
      atomicLatency: 265.2,
    },
    nvlink: {
      latency: 599.1,
      loadLatency: 849.5,
      bandwidth: 333.5,
      storeBandwidth: 370.5,
      byCtas: [
        [16, 294.7],
        [32, 331.4],
        [64, 329.9],
        [128, 333.5],
      ],
      storesByCtas: [
        [16, 330.5],
        [64, 352.5],
        [128, 354.4],
      ],
      atomicLatency: 867.1,
    },
  },
  'h200-nvlink4': {
    launchLatency: 1000,
    syncTime: 30,
    fenceTime: 20,
    ctaBandwidth: 65,
    memory: { latency: 600, cachedLatency: 270, bandwidth: 3800, ctaBandwidth: 100 },
    nvlink: { latency: 480, loadLatency: 1300, bandwidth: 335, storeBandwidth: 364 },
  },
});
