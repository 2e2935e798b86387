import * as backendSim from '@nccl-ts/backend-sim';
import * as backendWebgpu from '@nccl-ts/backend-webgpu';
import * as barrier from '@nccl-ts/barrier';
import * as cft from '@nccl-ts/cft';
import * as collectives from '@nccl-ts/collectives';
import * as communicator from '@nccl-ts/communicator';
import * as conformance from '@nccl-ts/conformance';
import * as core from '@nccl-ts/core';
import * as devcomm from '@nccl-ts/devcomm';
import * as findings from '@nccl-ts/findings';
import * as gin from '@nccl-ts/gin';
import * as harness from '@nccl-ts/harness';
import * as ir from '@nccl-ts/ir';
import * as kernel from '@nccl-ts/kernel';
import * as llA2A from '@nccl-ts/ll-a2a';
import * as lsa from '@nccl-ts/lsa';
import * as memoryModel from '@nccl-ts/memory-model';
import * as multimem from '@nccl-ts/multimem';
import * as mutation from '@nccl-ts/mutation';
import * as ptx from '@nccl-ts/ptx';
import * as reduceCopy from '@nccl-ts/reduce-copy';
import * as timeline from '@nccl-ts/timeline';
import * as topology from '@nccl-ts/topology';
import * as transport from '@nccl-ts/transport';
import * as window from '@nccl-ts/window';
import * as facade from 'nccl-ts';
import launch from '../../museum/no-end-barrier/launch.ts';
import { runAllReduce } from '../../src/01-allreduce-lsa/run.ts';

/** Every package there is: all of it is loaded in the browser. */
const packages: Readonly<Record<string, object>> = {
  'backend-sim': backendSim,
  'backend-webgpu': backendWebgpu,
  barrier,
  cft,
  collectives,
  communicator,
  conformance,
  core,
  devcomm,
  findings,
  gin,
  harness,
  ir,
  kernel,
  'll-a2a': llA2A,
  lsa,
  'memory-model': memoryModel,
  multimem,
  mutation,
  'nccl-ts': facade,
  ptx,
  'reduce-copy': reduceCopy,
  timeline,
  topology,
  transport,
  window,
};

/** The packages that are here and export something. */
export function packageNames(): readonly string[] {
  return Object.entries(packages).flatMap(([name, exported]) => (Object.keys(exported).length > 0 ? [name] : []));
}

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

/** The verdict on a kernel of PTX text, which needs neither Node nor a file. */
export async function ptxVerdict(text: string): Promise<string> {
  const kernel = harness.translate(launch, text, { name: 'kernel.ptx' });
  const report = await backendSim.check({ ranks: launch.ranks }, harness.harnessProgram(launch, kernel));
  return report.findings.map(({ kind }) => kind).join() || 'clean';
}
