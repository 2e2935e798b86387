import { Command } from 'commander';
import { printOut } from '../output/print.ts';
import { includeFolder } from '../module/include-folder.ts';

const notes = `
Kernels that use NCCL's device API or NVSHMEM are compiled against these headers, so that they can be checked.

Examples:
  nvcc -ptx -arch=sm_90 -lineinfo -I "$(nccl-ts include-path)" -o kernel.ptx kernel.cu
  nccl-ts check launch.ts --stand-in`;

/** `nccl-ts include-path`: prints the folder of the stand-in headers. */
export function includePathCommand(): Command {
  return new Command('include-path')
    .description('print the folder with stand-ins for the headers of NCCL and NVSHMEM')
    .addHelpText('after', notes)
    .action(() => {
      printOut(`${includeFolder()}\n`);
    });
}
