import { demangle } from '@nccl-ts/ptx';
import { describe, expect, it } from 'vitest';

describe('demangle', () => {
  it.each([
    ['_Z9allReduce5PeersPfiiij', 'allReduce(Peers, float *, int, int, int, unsigned)'],
    ['_Z5plainv', 'plain()'],
    ['kernel', 'kernel'],
    [
      '_ZN4vllm26cross_device_reduce_1stageI6__halfLi2EEEvPNS_8RankDataENS_11RankSignalsEPNS_6SignalEPT_ii',
      'vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData *, vllm::RankSignals, vllm::Signal *, __half *, int, int)',
    ],
    ['_Z3sumIfLb1EEvPKT_S2_', 'sum<float, true>(const float *, const float *)'],
    ['_ZN12_GLOBAL__N_15innerEPVj', '(anonymous namespace)::inner(volatile unsigned *)'],
    ['_ZN3abcD', '_ZN3abcD'],
    ['_Z99x', '_Z99x'],
  ])('reads %s', (mangled, text) => {
    expect(demangle(mangled)).toBe(text);
  });

  it('returns every broken name unchanged', () => {
    const name = '_ZN4vllm26cross_device_reduce_1stageI6__halfLi2EEEvPNS_8RankDataENS_11RankSignalsEPNS_6SignalEPT_ii';
    for (let end = 0; end < name.length; end++) expect(typeof demangle(name.slice(0, end))).toBe('string');
    const nested = `_Z1x${'P'.repeat(5000)}`;
    expect(demangle(nested)).toBe(nested);
  });
});
