import * as backendSim from '@nccl-ts/backend-sim';
import * as backendWebgpu from '@nccl-ts/backend-webgpu';
import * as checker from '@nccl-ts/checker';
import * as harness from '@nccl-ts/harness';
import * as kernel from '@nccl-ts/kernel';
import launch from '../../museum/no-end-barrier/launch.ts';
import { runAllReduce } from '../../src/01-allreduce-lsa/run.ts';

/** Runs the first example on that backend, and returns its output. */
export async function runExample(name: 'sim' | 'webgpu', count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const backend = name === 'sim' ? backendSim.sim({ ranks: 4 }) : backendWebgpu.webgpu({ ranks: 4 });
  await runAllReduce({ backend, count, print: (line) => lines.push(line) });
  return lines;
}

/** The message of the error that a wrong kernel gives. */
export function compileError(): string {
  const leftOutside = 1;
  const wrong = kernel.kernel({ name: 'wrong' }, ({ print }) => {
    print(leftOutside);
  });
  try {
    wrong.compile();
    return 'it compiled';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The verdict on a kernel from PTX text, which needs neither Node nor a file. */
export async function ptxVerdict(text: string): Promise<string> {
  const kernel = harness.translate(launch, text, { name: 'kernel.ptx' });
  const report = await checker.check(
    { ranks: harness.ranksToCheck(launch)[0] },
    harness.harnessProgram(launch, kernel),
  );
  return report.findings.map(({ kind }) => kind).join() || 'clean';
}
