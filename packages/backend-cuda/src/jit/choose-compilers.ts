import { NcclError } from '@nccl-ts/core';
import { attemptsText } from '../discovery/attempt.ts';
import type { DiscoveryHost } from '../discovery/discovery-host.ts';
import { findNvrtc, type NvrtcInstallation } from '../discovery/find-nvrtc.ts';
import { cudaVersionText, type Toolkit } from '../discovery/find-toolkit.ts';
import type { CompilerChoice, DeviceCompiler } from './device-compiler.ts';
import { nvccCompiler } from './nvcc.ts';
import { nvrtcCompiler } from './nvrtc-compiler.ts';
import { nvrtcPool } from './nvrtc-pool.ts';

/**
 * Returns the compilers of a toolkit, in order of preference. If NVRTC is the only one, it is
 * loaded immediately, so that a world without a compiler does not open. Otherwise the first kernel
 * that is not cached loads it.
 *
 * @throws NcclError `NCCLTS_CUDA_NO_TOOLKIT` if the requested compiler, or the only one, is not
 *   available.
 */
export async function chooseCompilers(
  toolkit: Toolkit,
  choice: CompilerChoice,
  host: DiscoveryHost,
  milliseconds?: number,
): Promise<readonly DeviceCompiler[]> {
  const { home, version, nvcc } = toolkit;
  if (choice === 'nvcc' && nvcc === undefined) {
    throw unavailable(`The toolkit in ${home} has no bin/nvcc, which the option compiler: 'nvcc' requires.`);
  }
  if (nvcc === undefined || choice === 'nvrtc') {
    return [nvrtcCompiler(toolkit, await nvrtcOf(toolkit, host))];
  }
  const command = nvccCompiler(nvcc, version, milliseconds);
  const nvrtc = choice === 'nvcc' ? undefined : findNvrtc(host, home, version).found;
  return nvrtc === undefined ? [command] : [nvrtcCompiler(toolkit, nvrtc), command];
}

/**
 * Returns the toolkit's NVRTC, after loading it once.
 *
 * @throws NcclError `NCCLTS_CUDA_NO_TOOLKIT` with every searched location, or with the problem of
 *   the one that was found.
 */
export async function nvrtcOf({ home, version }: Toolkit, host: DiscoveryHost): Promise<NvrtcInstallation> {
  const search = findNvrtc(host, home, version);
  if (search.found !== undefined) {
    await nvrtcPool(search.found).check(version);
    return search.found;
  }
  const text = `There is no NVRTC of CUDA ${cudaVersionText(version)}, the version of the toolkit in ${home}:`;
  throw unavailable(`${text}\n${attemptsText(search.attempts)}`);
}

function unavailable(message: string): NcclError {
  return new NcclError('NCCLTS_CUDA_NO_TOOLKIT', message);
}
