import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isNcclError } from '@nccl-ts/core';
import type { NvrtcInstallation } from '../discovery/find-nvrtc.ts';
import { cudaVersionText, toolkitIncludes, type Toolkit } from '../discovery/find-toolkit.ts';
import {
  ncclIncludes,
  numericFlags,
  sourceName,
  type Compiled,
  type CompileJob,
  type DeviceCompiler,
} from './device-compiler.ts';
import { ncclPreludeName, nvrtcHeaders, unrollLimit } from './nvrtc-headers.ts';
import { nvrtcPool } from './nvrtc-pool.ts';
import type { NvrtcOutcome } from './nvrtc-process.ts';

/**
 * The `nvrtcResult` for a text that does not compile. Other errors concern the compiler or its
 * options.
 */
const NVRTC_ERROR_COMPILATION = 6;

/**
 * Returns the compiler that is a library. The first compilation loads it, in separate processes.
 */
export function nvrtcCompiler(toolkit: Toolkit, installation: NvrtcInstallation): DeviceCompiler {
  const { version } = toolkit;
  const own = toolkitIncludes(toolkit);
  const flags = ({ text, arch, includes }: CompileJob): readonly string[] => [
    `-arch=${arch}`,
    '-std=c++17',
    ...numericFlags,
    unrollLimit,
    ...(ncclIncludes(text) !== '' ? ['-default-device', `-include=${ncclPreludeName}`] : []),
    ...[...includes, ...own].map((path) => `-I${path}`),
  ];
  return {
    name: 'nvrtc',
    title: `NVRTC ${cudaVersionText(version)} (${installation.library})`,
    flags,
    identity: async () => {
      const files = [installation.library, installation.builtins];
      const stats = await Promise.all(files.map(async (file) => stat(file)));
      const texts = stats.map(({ size, mtimeMs }, i) => `${files[i]} ${size} ${mtimeMs}`);
      return ['nvrtc', version, ...texts, headersHash].join(' ');
    },
    compile: async (job): Promise<Compiled> => {
      const { text, output } = job;
      const program = { text, output, name: sourceName, headers: nvrtcHeaders, options: flags(job) };
      let outcome: NvrtcOutcome;
      try {
        outcome = await nvrtcPool(installation).compile(program, version);
      } catch (error) {
        // NVRTC is not available, or crashed on this text.
        const messages = `nvrtc: error: ${error instanceof Error ? error.message : String(error)}`;
        return { ok: false, because: isNcclError(error) ? 'compiler' : 'text', messages };
      }
      if (outcome.kind === 'compiled') {
        // PTX is a C string, with a zero at its end.
        const bytes = output === 'ptx' ? outcome.bytes.subarray(0, outcome.bytes.indexOf(0)) : outcome.bytes;
        return { ok: true, bytes: new Uint8Array(bytes) };
      }
      const { result, messages } = outcome;
      return { ok: false, because: result === NVRTC_ERROR_COMPILATION ? 'text' : 'compiler', messages };
    },
  };
}

const headersHash: string = createHash('sha256').update(JSON.stringify(nvrtcHeaders)).digest('hex');
