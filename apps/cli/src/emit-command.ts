import { Command, Option } from 'commander';
import { NCCL_VERSION, NcclError, ncclVersionText } from '@nccl-ts/core';
import { printModule, renderDiagnostics, validate, type Capabilities, type ValidatedModule } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { chooseKernel, loadModule } from './module/load-module.ts';
import { ncclVersion } from './options.ts';
import { printOut } from './output/print.ts';
import { expectWritable, writeFile } from './output/write-file.ts';
import { addShared, kernelArgument, namedKernel } from './shared-options.ts';

const targets = ['ir', 'js', 'wgsl', 'cuda'] as const;

/** The limits of every device with WebGPU. Code for a better device may have larger workgroups. */
const leastLimits = { maxWorkgroup: 256, maxSharedBytes: 16384 } as const;

interface EmitOptions {
  readonly kernel?: string;
  readonly target: (typeof targets)[number];
  readonly ranks: number;
  readonly block: number;
  readonly checks: boolean;
  readonly nccl: number;
  readonly harness?: string;
  readonly out?: string;
}

/** `nccl-ts emit FILE [KERNEL]`: prints the compiled form of a kernel. */
export function emitCommand(compilerFlags: readonly string[] = []): Command {
  const command = new Command('emit')
    .description('print the code that a kernel compiles to')
    .argument('<file>', 'a .ts or .js module that exports kernels or a harness; a .cu or .ptx file')
    .argument(kernelArgument.name, kernelArgument.description);
  addShared(command, { kernel: {} }).addOption(
    new Option(
      '-t, --target <target>',
      'ir: the typed IR; js: what the simulator runs; wgsl: for WebGPU; cuda: CUDA C++',
    )
      .choices(targets)
      .default('ir'),
  );
  addShared(command, {
    ranks: { default: 4, note: 'that the text is for (js, wgsl)' },
    block: { default: 512, note: 'that the text is for (js, wgsl)' },
  })
    .option('--checks', 'report accesses out of bounds or misaligned (wgsl)', true)
    .option('--no-checks', 'leave the checks out: accesses out of bounds are undefined')
    .addOption(
      new Option('--nccl <version>', 'NCCL version of the headers: 2.32.3 or 23203 (cuda)')
        .argParser(ncclVersion)
        .default(NCCL_VERSION.code, ncclVersionText(NCCL_VERSION.code)),
    );
  return addShared(command, { out: { note: '(default: stdout)' }, harness: {} }).action(
    async (file: string, name: string | undefined, options: EmitOptions) => {
      const { out } = options;
      if (out !== undefined) await expectWritable('--out', out);
      const module = await loadModule(file, { ...options, compilerFlags });
      const { kernel } = namedKernel(name, options.kernel);
      const emitted = await emitters[options.target](chooseKernel(module, kernel), options);
      const text = emitted.endsWith('\n') ? emitted : `${emitted}\n`;
      if (out === undefined) printOut(text);
      else await writeFile('--out', out, text);
    },
  );
}

/** The emitters, each of which loads its backend. */
const emitters: Readonly<Record<EmitOptions['target'], (kernel: Kernel, options: EmitOptions) => Promise<string>>> = {
  ir: async (kernel) => printModule(kernel.compile()),
  js: async (kernel, { ranks, block }) => {
    const [{ emitJs }, { sim }] = await Promise.all([import('@nccl-ts/codegen'), import('@nccl-ts/backend-sim')]);
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
