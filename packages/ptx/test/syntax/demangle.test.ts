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
    ['_Z1kPKPfPPKfPVPi', 'k(float *const *, const float * *, int *volatile *)'],
    ['_ZN12_GLOBAL__N_15innerEPVj', '(anonymous namespace)::inner(volatile unsigned *)'],
    [
      '_ZN9turbomind4comm21Allreduce_Simple_PullI6__halfLi8ESt17integral_constantIbLb0EEEEvPT_NS_5ArrayIS6_Li8EEEiNS_8constantIXT0_EEET1_',
      'turbomind::comm::Allreduce_Simple_Pull<__half, 8, std::integral_constant<bool, false>>(__half *, turbomind::Array<__half *, 8>, int, turbomind::constant<8>, std::integral_constant<bool, false>)',
    ],
    [
      '_ZN7kittens2py13global_kernelIN10all_to_all6configENS2_7globalsEXadL_ZNS2_6kernelILi0ELi1EEEvRKS4_EEEEvT0_',
      'kittens::py::global_kernel<all_to_all::config, all_to_all::globals, &all_to_all::kernel<0, 1>>(all_to_all::globals)',
    ],
    ['_Z3runIXplLi2ELi3EEEv5BlockIXstfEE', 'run<(2 + 3)>(Block<sizeof(float)>)'],
    ['_Z4eachIfEvPFvT_iES1_', 'each<float>(void (*)(float, int), void (float, int))'],
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
