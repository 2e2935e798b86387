import { runCommandLine } from './command-line.ts';

let settled = false;

process.once('beforeExit', () => {
  if (settled) return;
  // Nothing is left that could ever wake the program up, and it has not come to its end.
  process.stderr.write('error: the program awaits something that never comes\n');
  process.exit(1);
});

// Whoever reads our output may stop reading: `nccl-ts emit kernel.ts | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runCommandLine(process.argv);
settled = true;
