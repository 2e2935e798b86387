import { isNcclError } from '@nccl-ts/core';
import { chosenCompiler, type ResolvedCudaOptions } from './cuda-options.ts';
import type { DiscoveryHost } from './discovery/discovery-host.ts';
import { cudaVersionText, type Toolkit } from './discovery/find-toolkit.ts';
import { nvrtcOf } from './jit/choose-compilers.ts';
import type { ProbeItem } from './probe-item.ts';

/**
 * Probes NVRTC: returns its location, or the reason why it is not used. This is a problem only if
 * there is no other compiler.
 */
export async function probeNvrtc(
  hasKoffi: boolean,
  toolkit: Toolkit,
  options: ResolvedCudaOptions,
  host: DiscoveryHost,
): Promise<ProbeItem> {
  const name = 'NVRTC';
  let isNeeded = true;
  try {
    const choice = chosenCompiler(options, host);
    if (toolkit.nvcc !== undefined) {
      isNeeded = choice === 'nvrtc';
      if (choice === 'nvcc') return { name, ok: undefined, because: "skipped: the option compiler is 'nvcc'" };
    }
    if (!hasKoffi) return { name, ok: undefined, because: 'koffi is missing' };
    const { library, from } = await nvrtcOf(toolkit, host);
    return { name, ok: true, found: `${cudaVersionText(toolkit.version)}, ${library} (${from})` };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (!isNeeded) return { name, ok: undefined, because: `not needed, nvcc compiles. ${problem}` };
    return { name, ok: false, code: isNcclError(error) ? error.code : undefined, problem };
  }
}
