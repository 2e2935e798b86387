import { runBenchCommandLine } from './nccl-tests/bench-command-line.ts';

// The reader of the output may stop reading, as in `nccl-ts-bench all_reduce | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const { stdout, stderr, env } = process;
process.exitCode = await runBenchCommandLine(process.argv, { stdout, stderr, env });
