import { webgpu, type WebgpuBackend, type WebgpuWorld } from '@nccl-ts/backend-webgpu';
import { defineBackend } from '@nccl-ts/transport';
import type { Machine, RunResult } from '../protocol.ts';
import { loadProgram, noHost } from './load-program.ts';
import { captureLog } from './program-console.ts';
import { runHost } from './run-program.ts';

/**
 * Runs a program once on the reader's GPU, which all ranks share. A run on a GPU has no timeline.
 */
export async function runOnGpu(text: string, { ranks }: Machine): Promise<RunResult> {
  const log: string[] = [];
  const restore = captureLog(log);
  try {
    const { host } = await loadProgram(text);
    if (host === undefined) {
      throw noHost('run the program on the GPU');
    }
    const backend = webgpu({ ranks });
    const worlds: WebgpuWorld[] = [];
    const observed = defineBackend<WebgpuBackend>({
      ...backend,
      open: async (options) => {
        const world = await backend.open(options);
        worlds.push(world);
        return world;
      },
    });
    const started = performance.now();
    const ran = await runHost(observed, host, async () => {});
    const milliseconds = performance.now() - started;
    return { ...ran, log, svg: '', traffic: [], milliseconds, ranOn: worlds.map(nameOf).join(' and ') };
  } finally {
    restore();
  }
}

function nameOf({ adapterInfo: { vendor, architecture, description }, software }: WebgpuWorld): string {
  const name = [vendor, architecture, description].filter((part) => part !== '').join(' ');
  const told = name === '' ? 'a GPU that the browser does not name' : name;
  return software ? `${told}, which is a program for the CPU` : told;
}
