import { Command } from 'commander';
import { printOut } from '../output/print.ts';
import { includeFolder } from './include-folder.ts';

const notes = `
Kernels that use NCCL's device API or NVSHMEM are compiled against these headers, so that they can be checked.

Examples:
  nvcc -ptx -arch=sm_90 -lineinfo -I "$(nccl-ts include-path)" -o kernel.ptx kernel.cu
  nccl-ts check launch.ts --stand-in`;

/** `nccl-ts include-path`: where the stand-in headers are. */
export function includePathCommand(): Command {
  return new Command('include-path')
    .description('print the folder with headers that stand in for those of NCCL and NVSHMEM')
    .addHelpText('after', notes)
    .action(() => {
      printOut(`${includeFolder()}\n`);
    });
}
