import { Command, Option } from 'commander';
import { emitJs, sim } from '@nccl-ts/backend-sim';
import { NcclError } from '@nccl-ts/core';
import { printModule, renderDiagnostics, validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { chooseKernel, loadModule } from './load-module.ts';
import { integer } from './options.ts';

const targets = ['ir', 'js'] as const;

interface EmitOptions {
  readonly kernel?: string;
  readonly target: (typeof targets)[number];
  readonly ranks: number;
  readonly block: number;
}

/** `nccl-ts emit FILE`: what a kernel is compiled to. */
export function emitCommand(): Command {
  return new Command('emit')
    .description('print what a kernel is compiled to')
    .argument('<file>', 'a .ts or .js module that exports kernels')
    .option('-k, --kernel <name>', 'the kernel, where the module exports several')
    .addOption(
      new Option('-t, --target <target>', 'ir: the typed IR; js: what the simulator runs')
        .choices(targets)
        .default('ir'),
    )
    .option('-n, --ranks <n>', 'ranks that the text is for (js)', integer(1, 4096), 4)
    .option('-b, --block <n>', 'threads of a CTA that the text is for (js)', integer(1, 1024), 512)
    .action(async (file: string, options: EmitOptions) => {
      const text = emitters[options.target](chooseKernel(await loadModule(file), options.kernel), options);
      process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    });
}

const emitters: Readonly<Record<EmitOptions['target'], (kernel: Kernel, options: EmitOptions) => string>> = {
  ir: (kernel) => printModule(kernel.compile()),
  js: (kernel, { ranks, block }) => {
    const module = kernel.compile();
    const checked = validate(module, sim({ ranks }).capabilities);
    if (!checked.ok) throw new NcclError('NCCLTS_COMPILE', renderDiagnostics(checked.diagnostics, module.sources));
    return emitJs(checked.module, { blockDim: { x: block, y: 1, z: 1 }, fields: { nRanks: ranks, lsaSize: ranks } })
      .text;
  },
};
