import type { SimTraceOptions } from './cost-model.ts';

/**
 * The costs of machines by name, for `trace` and `predict`. They come from the files in the
 * repository's `profiles`, which state the source of each number. Micro-benchmarks measured the
 * H100 profile. The H200 profile is based on publications.
 */
export const machines: Readonly<Record<'h100-nvlink4' | 'h200-nvlink4', SimTraceOptions>> = Object.freeze({
  'h100-nvlink4': {
    launchLatency: 958.4,
    syncTime: 22.91,
    fenceTime: 892.5,
    ctaBandwidth: 50.54,
    memory: { latency: 352.4, cachedLatency: 144.6, bandwidth: 2685, ctaBandwidth: 166.9 },
    nvlink: { latency: 599.1, loadLatency: 849.5, bandwidth: 333.5, storeBandwidth: 370.5 },
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
