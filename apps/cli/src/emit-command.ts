import { Command, Option } from 'commander';
import { NcclError } from '@nccl-ts/core';
import { printModule, renderDiagnostics, validate, type Capabilities, type ValidatedModule } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { chooseKernel, loadModule } from './load-module.ts';
import { integer } from './options.ts';

const targets = ['ir', 'js', 'wgsl', 'cuda'] as const;

/** The NCCL whose device headers the CUDA text is for, where the command line does not say: 2.28.9. */
const NCCL_VERSION = 22809;

/** What every device with WebGPU has: the text for a better one may have larger workgroups. */
const leastLimits = { maxWorkgroup: 256, maxSharedBytes: 16384 } as const;

interface EmitOptions {
  readonly kernel?: string;
  readonly target: (typeof targets)[number];
  readonly ranks: number;
  readonly block: number;
  readonly checks: boolean;
  readonly nccl: number;
  readonly harness?: string;
}

/** `nccl-ts emit FILE`: what a kernel is compiled to. */
export function emitCommand(compilerFlags: readonly string[] = []): Command {
  return new Command('emit')
    .description('print what a kernel is compiled to')
    .argument('<file>', 'a .ts or .js module that exports kernels or a harness; a .cu or .ptx file')
    .option('-k, --kernel <name>', 'the kernel, where the module exports several')
    .addOption(
      new Option(
        '-t, --target <target>',
        'ir: the typed IR; js: what the simulator runs; wgsl: for WebGPU; cuda: CUDA C++',
      )
        .choices(targets)
        .default('ir'),
    )
    .option('-n, --ranks <n>', 'ranks that the text is for (js, wgsl)', integer(1, 4096), 4)
    .option('-b, --block <n>', 'threads of a CTA that the text is for (js, wgsl)', integer(1, 1024), 512)
    .option('--checks', 'report accesses out of bounds or misaligned (wgsl)', true)
    .option('--no-checks', 'let them pass: what would be outside has no meaning')
    .option(
      '--nccl <code>',
      'NCCL_VERSION_CODE of the headers that the text is for (cuda)',
      integer(22803),
      NCCL_VERSION,
    )
    .option('--harness <file>', 'says which entry of a .cu or .ptx file')
    .action(async (file: string, options: EmitOptions) => {
      const module = await loadModule(file, { ...options, compilerFlags });
      const text = await emitters[options.target](chooseKernel(module, options.kernel), options);
      process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    });
}

/** Each loads the backend that it asks. */
const emitters: Readonly<Record<EmitOptions['target'], (kernel: Kernel, options: EmitOptions) => Promise<string>>> = {
  ir: async (kernel) => printModule(kernel.compile()),
  js: async (kernel, { ranks, block }) => {
    const { emitJs, sim } = await import('@nccl-ts/backend-sim');
    const module = validated(kernel, sim({ ranks }).capabilities);
    return emitJs(module, { blockDim: { x: block, y: 1, z: 1 }, fields: { nRanks: ranks, lsaSize: ranks } }).text;
  },
  wgsl: async (kernel, { ranks, block, checks }) => {
    const { emitWgsl, webgpu } = await import('@nccl-ts/backend-webgpu');
    const module = validated(kernel, webgpu({ ranks, checks }).capabilities);
    return emitWgsl(module, {
      ...leastLimits,
      blockDim: { x: block, y: 1, z: 1 },
      fields: { nRanks: ranks, lsaSize: ranks },
      lsaSize: ranks,
      exact: true,
      checks,
      fuel: 2 ** 22,
      segments: 0,
    }).text;
  },
  cuda: async (kernel, { nccl }) => {
    const { cuda, emitCuda } = await import('@nccl-ts/backend-cuda');
    return emitCuda(validated(kernel, cuda().capabilities), { ncclVersion: nccl }).text;
  },
};

function validated(kernel: Kernel, capabilities: Capabilities): ValidatedModule {
  const module = kernel.compile();
  const checked = validate(module, capabilities);
  if (!checked.ok) throw new NcclError('NCCLTS_COMPILE', renderDiagnostics(checked.diagnostics, module.sources));
  return checked.module;
}
