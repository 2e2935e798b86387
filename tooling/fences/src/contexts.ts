export type ContextName = keyof typeof contexts;

const world = `
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
`;

/** Lines that precede partial programs in Markdown files. */
export const contexts = {
  /** A host program, whose kernel waits for a word that the host has written. */
  program: `
import type { Communicator } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
const waits = kernel({ name: 'waits', use: { lsa }, params: { win: window } }, ({ lsa, waitUntil, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  waitUntil(() => words.load(0, 'acquire') === 1);
});
const program = async (comm: Communicator) => {
  const win = await comm.allocWindow('u32', 1);
  await win.write(Uint32Array.of(1));
  await comm.launch(waits, { grid: 1, block: 1 }, { win });
  await comm.synchronize();
};
`,
  communicatorOnCuda: `
import { cuda } from '@nccl-ts/backend-cuda';
import { Communicator } from '@nccl-ts/communicator';
`,
  worldOnCuda: `
import { cuda } from '@nccl-ts/backend-cuda';
import { World } from '@nccl-ts/communicator';
`,
  /** A world, and the arguments of a launch. */
  launches: `
import type { World } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';
declare const world: World;
declare const allReduce: Kernel<{ count: number }>;
declare const args: readonly { count: number }[];
`,
  communicatorOnWebgpu: `
import { distributedWebgpu } from '@nccl-ts/webgpu-distributed';
import { Communicator } from '@nccl-ts/communicator';
declare const rank: number;
`,
  ownBuffer: `
import { webgpu } from '@nccl-ts/backend-webgpu';
import { World, type DevComm, type Window } from '@nccl-ts/communicator';
import { f32, type Kernel } from '@nccl-ts/kernel';
declare const device: GPUDevice;
declare const buffers: readonly GPUBuffer[];
declare const count: number;
declare const allReduce: Kernel<{ comm: DevComm; win: Window; count: number }>;
`,
  /** The part of onnxruntime-web's types that programs use. */
  onnxruntime: `
import '@nccl-ts/backend-webgpu';
declare namespace ort {
  interface Tensor { readonly gpuBuffer: GPUBuffer }
  interface InferenceSession {
    readonly outputNames: readonly string[];
    run(feeds: Record<string, Tensor>, fetches: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  }
}
declare const ort: {
  readonly env: { readonly webgpu: { readonly device: Promise<unknown> } };
  readonly InferenceSession: {
    create(model: string, options: { readonly executionProviders: readonly string[] }): Promise<ort.InferenceSession>;
  };
  readonly Tensor: {
    fromGpuBuffer(buffer: GPUBuffer, options: { readonly dataType: 'float32'; readonly dims: readonly number[] }): ort.Tensor;
  };
};
declare const model: string;
declare const feeds: Record<string, ort.Tensor>;
declare const count: number;
`,
  /** The part of TensorFlow.js's types that programs use. */
  tensorflow: `
import type { Communicator } from '@nccl-ts/communicator';
import '@nccl-ts/backend-webgpu';
interface WebGPUBackend { readonly device: GPUDevice }
interface Tensor {
  readonly shape: number[];
  dataToGPU(): { readonly buffer?: GPUBuffer; readonly tensorRef: Tensor };
  dispose(): void;
}
declare const tf: {
  backend(): object;
  tensor(values: { readonly buffer: GPUBuffer }, shape: number[], dtype: 'float32'): Tensor;
};
declare const gradients: Tensor;
declare const comm: Communicator;
`,
  /** The part of jax-js's types that programs use. */
  jax: `
import '@nccl-ts/backend-webgpu';
declare function init(device: 'webgpu'): Promise<readonly string[]>;
declare function getWebGPUDevice(): GPUDevice;
interface JaxArray { readonly ref: JaxArray; gpuBuffer(): Promise<GPUBuffer> }
declare const gradients: JaxArray;
`,
  /** The part of a page's document that programs use. */
  page: `
const document = {
  querySelector: (_selector: string) => ({ append: (text: string): void => console.log(text) }),
};
`,
  /** A communicator of a world of one rank, and a window. */
  window: `${world}
import { f32 } from '@nccl-ts/kernel';
const count = 8;
const gradients = new Float32Array(count).fill(1);
const world = await World.open({ backend: sim({ ranks: 1 }) });
const win = await world.comm(0).allocWindow(f32, count);
`,
  selection: `${world}
import { defaultSelection, parseSelection, setSelection } from '@nccl-ts/collectives';
import { readFile, writeFile } from 'node:fs/promises';
await writeFile('rules.json', '[]');
const world = await World.open({ backend: sim({ ranks: 1 }) });
const comm = world.comm(0);
`,
  ginHost: `${world}
const world = await World.open({ backend: sim({ ranks: 1 }) });
const communicator = world.comm(0);
`,
  llA2AHost: `${world}
import { llA2ACalcSlots, llA2ACreateRequirement } from '@nccl-ts/devcomm';
const world = await World.open({ backend: sim({ ranks: 1 }) });
const comm = world.comm(0);
const [grid, ranks, block] = [2, 1, 32];
`,
  caseParts: `
import { type Case } from '@nccl-ts/conformance';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { computeCase, slots } from './node_modules/@nccl-ts/conformance/dist/cases/fixture/compute-case.js';
`,
  deadlock: `
import type { DeadlockInput, ParkedCta } from '@nccl-ts/findings';
import { lsaTeamIndex, type Topology } from '@nccl-ts/topology';
interface StuckCta { readonly rank: number; readonly index: number; waiting(): ReturnType<ParkedCta['waiting']> }
declare const stuckCtas: readonly StuckCta[];
declare const kernel: ParkedCta['kernel'];
declare const memory: { locate(address: number): ReturnType<Parameters<typeof describeWord>[1]> };
declare const sites: ParkedCta['sites'];
declare const hosts: readonly DeadlockInput['ranks'][number]['host'][];
declare const topology: Topology;
declare const printed: readonly string[];
`,
  checkedRuns: `
import type { CheckedRun } from '@nccl-ts/findings';
const runs: readonly CheckedRun[] = [{ findings: [], accesses: 1024 }];
`,
  harnessDefinition: `
import { f32, harness } from '@nccl-ts/harness';
const definition = harness({
  entry: 'store',
  ranks: 1,
  grid: 1,
  block: 1,
  setup: ({ alloc }) => ({ args: [alloc('out', f32, 1)] }),
});
const ptxText = \`
.version 8.5
.target sm_90
.address_size 64
.visible .entry store(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  st.global.u32 [%rd2], %r1;
  ret;
}
\`;
`,
} as const;
