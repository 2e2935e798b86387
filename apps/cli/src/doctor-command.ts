import { Command } from 'commander';
import { probe, type CudaReport, type ProbeItem } from '@nccl-ts/backend-cuda';
import { colorsFor } from './colors.ts';

/** `nccl-ts doctor`: what this machine has for each backend, and what it lacks. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('say what the CUDA backend finds on this machine, and what it lacks')
    .option('--json', 'print the report as JSON', false)
    .action(async ({ json }: { readonly json: boolean }) => {
      const report = await probe();
      process.stdout.write(`${json ? JSON.stringify(report, undefined, 2) : doctorText(report)}\n`);
    });
}

function doctorText({ ok, items, gpus }: CudaReport): string {
  const colors = colorsFor(process.stdout);
  const line = (item: ProbeItem): string => {
    const name = item.name.padEnd(13);
    if (item.ok === true) return `${colors.green('ok     ')} ${name} ${item.found}`;
    if (item.ok === undefined) return `${colors.yellow('skipped')} ${name} ${item.because}`;
    return `${colors.red('missing')} ${name} ${item.problem}${item.code === undefined ? '' : ` [${item.code}]`}`;
  };
  const cards = gpus.map(
    (gpu) =>
      `        GPU ${gpu.ordinal}: ${gpu.name}, compute capability ${gpu.computeCapability}, ${(gpu.bytes / 2 ** 30).toFixed(0)} GiB`,
  );
  const verdict = ok
    ? 'CUDA: worlds can be opened.'
    : 'CUDA: no world can be opened; the simulator needs none of this.';
  return [...items.map(line), ...cards, '', verdict].join('\n');
}
