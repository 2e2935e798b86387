import type { ContextName } from './contexts.ts';

/**
 * The additions that a program in a Markdown file needs, and the reason if it is not run. A program
 * without a row is complete and is run.
 */
export interface FenceRow {
  readonly file: string;
  /** The first line of the program that is not an import (see `beginningOf`). */
  readonly begins: string;
  /** True if it continues the previous program in the file. */
  readonly continues?: true;
  /** The lines that precede it. */
  readonly context?: ContextName;
  /** The reason why it is only type-checked. */
  readonly notRun?: string;
  /** The name by which other programs of the page import it. */
  readonly savedAs?: string;
  /** A part of its output. */
  readonly prints?: string;
}

const needsNvidia =
  "it needs an NVIDIA GPU, so the package's tests run such programs against a stand-in for the driver";
const needsWebgpu = "it needs a GPU with WebGPU, so the package's tests run such programs where there is one";
const isTest = 'it is a test for vitest, and npm run release:dry-run runs the tests in READMEs';

const imports = 'it imports another file of the page, and a test that follows the page runs it there';

export const fenceTable: readonly FenceRow[] = [
  {
    file: 'README.md',
    begins: 'export const inPlaceAllReduce = kernel({',
    prints: '[ 6, 6, 6, 6 ]',
  },
  {
    file: 'docs/checking.md',
    begins: 'const report = await check({ ranks: 4 }, program); // once for each rank: program(comm)',
    context: 'program',
  },
  {
    file: 'docs/how-to/run-in-a-page.md',
    begins: 'const sum = kernel(',
    context: 'page',
    prints: '10 10 10 10',
  },
  {
    file: 'docs/how-to/run-on-nvidia-gpus.md',
    begins: "const world = await World.open({ backend: cuda({ devices: 'all' }) });",
    notRun: needsNvidia,
  },
  {
    file: 'docs/how-to/test-a-kernel-in-ci.md',
    begins: 'export const gather = kernel(',
    savedAs: 'gather.ts',
  },
  {
    file: 'docs/how-to/test-a-kernel-in-ci.md',
    begins: 'registerMatchers(expect);',
    notRun: imports,
  },
  {
    file: 'docs/how-to/write-a-backend.md',
    begins: 'export let launches = 0;',
    savedAs: 'backend.mts',
  },
  {
    file: 'docs/how-to/write-a-backend.md',
    begins: "const cases = allCases.filter(({ id }) => id.startsWith('atomics/') || id.startsWith('pointers/'));",
    notRun: imports,
  },
  {
    file: 'docs/timeline.md',
    begins: 'const backend = sim({ ranks: 8, lsaSize: 4, trace: { network: { latency: 5000 } } }); // or trace: true',
    context: 'program',
  },
  {
    file: 'packages/backend-cuda/README.md',
    begins: "const world = await World.open({ backend: cuda({ devices: 'all' }) });",
    notRun: needsNvidia,
  },
  {
    file: 'packages/backend-cuda/README.md',
    begins: 'const backend = cuda();',
    context: 'communicatorOnCuda',
    notRun: needsNvidia,
  },
  {
    file: 'packages/backend-cuda/README.md',
    begins:
      'const world = await World.open({ backend: cuda({ ranks: 8 }) }); // on one GPU, or on as many as there are',
    context: 'worldOnCuda',
    notRun: needsNvidia,
  },
  {
    file: 'packages/backend-cuda/README.md',
    begins: 'const graph = await world.capture(async (comm) => {',
    context: 'launches',
    notRun: needsNvidia,
  },
  {
    file: 'packages/backend-sim/README.md',
    begins: 'const { runs, complete } = await explore(',
    context: 'program',
  },
  {
    file: 'packages/backend-webgpu/README.md',
    begins: 'const world = await World.open({ backend: webgpu({ ranks: 4 }) });',
    notRun: needsWebgpu,
  },
  {
    file: 'packages/webgpu-distributed/README.md',
    begins: 'const world = await World.open({ backend: distributedWebgpu({ ranks: 4, devices: 2 }) });',
    notRun: needsWebgpu,
  },
  {
    file: 'packages/webgpu-distributed/README.md',
    begins: 'const backend = distributedWebgpu({ ranks: 4 });',
    context: 'communicatorOnWebgpu',
    notRun: needsWebgpu,
  },
  {
    file: 'packages/backend-webgpu/README.md',
    begins: 'const world = await World.open({ backend: webgpu({ ranks: 2, device }) });',
    context: 'ownBuffer',
    notRun: needsWebgpu,
  },
  {
    file: 'docs/how-to/use-buffers-of-other-libraries.md',
    begins: "const session = await ort.InferenceSession.create(model, { executionProviders: ['webgpu'] });",
    context: 'onnxruntime',
    notRun: 'it needs onnxruntime-web in a browser, and the context declares the types',
  },
  {
    file: 'docs/how-to/use-buffers-of-other-libraries.md',
    begins: 'const { device } = tf.backend() as WebGPUBackend;',
    context: 'tensorflow',
    notRun: 'it needs TensorFlow.js in a browser, and the context declares the types',
  },
  {
    file: 'docs/how-to/use-buffers-of-other-libraries.md',
    begins: "await init('webgpu');",
    context: 'jax',
    notRun: 'it needs jax-js in a browser, and the context declares the types',
  },
  {
    file: 'packages/collectives/README.md',
    begins: 'const world = await World.open({ backend: sim({ ranks: 4 }) });',
    prints: '[ 1.5, 1.5, 1.5, 1.5 ]',
  },
  {
    file: 'packages/collectives/README.md',
    begins: 'const count = 256;',
    prints: "[ 'twoShot', 3 ]",
  },
  {
    file: 'packages/collectives/README.md',
    begins: 'const [rows, hidden] = [2, 4096];',
    prints: '[ 1, 1 ]',
  },
  {
    file: 'packages/collectives/README.md',
    begins: "setSelection(comm, [...parseSelection(await readFile('rules.json', 'utf8')), ...defaultSelection]);",
    context: 'selection',
  },
  {
    file: 'packages/communicator/README.md',
    begins:
      "const twice = kernel({ name: 'twice', params: { data: symPtr(f32) } }, ({ threadIdx, blockIdx, blockDim }, { data }) => {",
    prints: '[ 0, 2, 4, 6 ]',
  },
  {
    file: 'packages/communicator/README.md',
    begins: 'const own = await win.expose(); // once the launches before have ended',
    context: 'window',
  },
  { file: 'packages/conformance/README.md', begins: 'conformance({', notRun: isTest },
  {
    file: 'packages/conformance/README.md',
    begins:
      "const increment = kernel({ name: 'increment', use: { lsa }, params: slots }, ({ lsa, threadIdx, u32 }, { input, out }) => {",
    context: 'caseParts',
  },
  {
    file: 'packages/findings/README.md',
    begins:
      "const report = buildReport({ runs, proves: { kind: 'schedules', count: 100, strategy: 'random', seed: 1 } });",
    context: 'checkedRuns',
  },
  {
    file: 'packages/findings/README.md',
    begins: 'const report = buildDeadlock({',
    context: 'deadlock',
    notRun: 'only a backend has its inputs, and the tests of backend-sim and backend-webgpu call it',
  },
  {
    file: 'packages/cft/README.md',
    begins: "const comm = await communicator.createDevComm({ cftCaps: 'cft' });",
    context: 'ginHost',
  },
  {
    file: 'packages/gin/README.md',
    begins:
      "const comm = await communicator.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1, worldGinBarrierCount: 1 });",
    context: 'ginHost',
  },
  {
    file: 'packages/harness/README.md',
    begins: 'const checks = [];',
    context: 'harnessDefinition',
  },
  {
    file: 'packages/ll-a2a/README.md',
    begins: 'const slots = llA2ACreateRequirement(grid, llA2ACalcSlots(ranks * block, 4));',
    context: 'llA2AHost',
  },
  {
    file: 'packages/machine-profile/README.md',
    begins: 'const open = async (ranks: number): Promise<World> =>',
    notRun: needsNvidia,
  },
  {
    file: 'packages/timeline/README.md',
    begins: "const problems = checkChromeTrace(JSON.parse(readFileSync('trace.json', 'utf8')));",
  },
  { file: 'packages/vitest/README.md', begins: 'const toNext = kernel(', notRun: isTest },
];
