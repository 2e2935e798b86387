import { Command } from 'commander';
import type { CudaReport } from '@nccl-ts/backend-cuda';
import type { ProbedGpu, WebgpuReport } from '@nccl-ts/backend-webgpu';
import { colorsFor } from './output/colors.ts';
import { printOut } from './output/print.ts';
import { addShared } from './shared-options.ts';

/** `nccl-ts doctor`: reports which requirements of each backend this machine meets. */
export function doctorCommand(): Command {
  const command = new Command('doctor').description(
    'report which requirements of the CUDA and WebGPU backends this machine meets',
  );
  return addShared(command, { json: {} }).action(async ({ json }: { readonly json?: true }) => {
    const [cuda, webgpu] = await Promise.all([import('@nccl-ts/backend-cuda'), import('@nccl-ts/backend-webgpu')]);
    const report = { cuda: await cuda.probe(), webgpu: await webgpu.probe() };
    const text =
      json === true ? JSON.stringify(report, undefined, 2) : `${cudaText(report.cuda)}\n\n${webgpuText(report.webgpu)}`;
    printOut(`${text}\n`);
  });
}

/** One requirement of a backend, in the form that both backends report. */
type Item = CudaReport['items'][number] | WebgpuReport['items'][number];

function itemLine(item: Item): string {
  const colors = colorsFor(process.stdout);
  const name = item.name.padEnd(13);
  if (item.ok === true) return `${colors.green('ok     ')} ${name} ${item.found}`;
  if (item.ok === undefined) return `${colors.yellow('skipped')} ${name} ${item.because}`;
  return `${colors.red('missing')} ${name} ${item.problem}${item.code === undefined ? '' : ` [${item.code}]`}`;
}

function verdict(backend: string, ok: boolean): string {
  return ok
    ? `${backend}: worlds can be opened.`
    : `${backend}: no world can be opened; the simulator needs none of this.`;
}

function cudaText({ ok, items, gpus }: CudaReport): string {
  const cards = gpus.map(
    (gpu) =>
      `        GPU ${gpu.ordinal}: ${gpu.name}, compute capability ${gpu.computeCapability}, ${(gpu.bytes / 2 ** 30).toFixed(0)} GiB`,
  );
  return [...items.map(itemLine), ...cards, '', verdict('CUDA', ok)].join('\n');
}

function webgpuText({ ok, items, gpu }: WebgpuReport): string {
  return [...items.map(itemLine), ...(gpu === undefined ? [] : gpuLines(gpu)), '', verdict('WebGPU', ok)].join('\n');
}

function gpuLines({ limits, adoptableBuffers, features }: ProbedGpu): readonly string[] {
  const kib = (bytes: number): string => `${Math.floor(bytes / 2 ** 10)} KiB`;
  return [
    `window memory, all ranks together: ${Math.floor(limits.maxStorageBufferBindingSize / 2 ** 20)} MiB`,
    `workgroups: ${limits.maxComputeInvocationsPerWorkgroup} invocations, ${kib(limits.maxComputeWorkgroupStorageSize)} of memory`,
    `GPUBuffers that a world can adopt: ${adoptableBuffers}`,
    `features: ${features.length === 0 ? 'none that matter here' : features.join(', ')}`,
  ].map((line) => `        ${line}`);
}
