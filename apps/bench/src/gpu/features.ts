import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cuda, probe, type CudaBackend, type CudaWorld } from '@nccl-ts/backend-cuda';
import { Communicator, World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { GraphHandle } from '@nccl-ts/transport';
import { allReduceKernel } from '../kernels/all-reduce-kernel.ts';
import { errorFinding, finish, phase, report } from './phases.ts';
import { assertions, prints, printsAndHangs, says } from './print-features.ts';

/*
 * Tests the features of the CUDA backend other than computing, on the GPUs of this machine:
 *
 *     bash .gpu/run.sh features [part ...]
 *
 * Parts that may lose a GPU's context or hang run in a process of their own.
 */

const meet = kernel(
  { name: 'meet', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopCta, blockIdx }, { comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
  },
);

const strays = kernel({ name: 'strays', use: { lsa }, params: { win: window } }, ({ lsa, u32: unsigned }, { win }) => {
  lsa.pointer(win, unsigned, 1_099_511_627_776, 0)[0] = unsigned(1);
});

const shape = { grid: 4, block: 64 };

/** A backend whose last world can be inspected. */
function observed(backend: CudaBackend): {
  readonly backend: CudaBackend;
  world(): CudaWorld;
  graphs(): readonly GraphHandle[];
} {
  let last: CudaWorld | undefined;
  const graphs: GraphHandle[] = [];
  return {
    backend: {
      ...backend,
      open: async (options) => {
        const world = await backend.open(options);
        const endCapture = world.endCapture.bind(world);
        world.endCapture = (streams) => {
          const graph = endCapture(streams);
          graphs.push(graph);
          return graph;
        };
        last = world;
        return world;
      },
    },
    world: () => {
      if (last === undefined) throw new Error('no world could be opened');
      return last;
    },
    graphs: () => graphs,
  };
}

async function graphs(): Promise<void> {
  const seen = observed(cuda());
  await using world = await World.open({ backend: seen.backend });
  const count = 4096;
  const setups = await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, count);
    await win.write(new Float32Array(count).fill(1));
    const dev = await comm.createDevComm({ lsaBarrierCount: 4 });
    return { win, dev };
  });
  const domains = world.comm(0).memSyncDomainCount;
  const graph = await world.capture(async (comm) => {
    const setup = setups[comm.rank];
    if (setup === undefined) return;
    const args = { comm: setup.dev, win: setup.win, offset: 0, count };
    await comm.launch(allReduceKernel, { ...shape, attributes: { memSyncDomain: 'remote' } }, args);
    await comm.launch(allReduceKernel, shape, args);
  });
  const [handle] = seen.graphs();
  report({ domains, nodes: handle === undefined ? undefined : seen.world().graphKernelAttributes(handle) });
  await graph.launch();
  await graph.launch();
  const wanted = world.nRanks ** 4;
  const got = await world.run(async (comm) =>
    (await setups[comm.rank]?.win.read())?.every((value) => value === wanted),
  );
  report({ graphLaunches: graph.launches, everyRankHas: wanted, got });
  if (!got.every((right) => right === true)) throw new Error('wrong sums');

  // CUDA decides if graphs over several GPUs may contain cooperative launches. A refusal must name
  // the launch.
  const cooperative = world.capture(async (comm) =>
    comm.launch(says, { grid: 1, block: 32, attributes: { cooperative: true } }, { value: 1 }),
  );
  report({ cooperativeOverAll: await cooperative.then(async (made) => made.close(), errorFinding) });

  // A stream with its own map. The node of its kernel must have the same map.
  const comm = world.comm(0);
  const stream = await comm.createStream({ memSyncDomainMap: { default: domains - 1, remote: 0 } });
  const single = await stream.capture(async () => comm.launch(says, { grid: 1, block: 1, stream }, { value: 1 }));
  const own = seen.graphs().at(-1);
  const attributes = own === undefined ? [] : seen.world().graphKernelAttributes(own);
  report({ mapOfStream: attributes });
  await single.close();
  if (attributes[0]?.memSyncDomainMap.default !== domains - 1)
    throw new Error("the node of the graph lacks the stream's map");
}

/** Only rank 0 waits at a barrier. */
async function lonely(abortable: boolean, how: 'signal' | 'timeout' | 'world'): Promise<void> {
  const backend = cuda(how === 'timeout' ? { launchTimeout: 300 } : {});
  const world = await World.open({ backend });
  const controller = new AbortController();
  const run = world.run(
    async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 4 });
      // All ranks synchronize once, so that the time of compiling does not count.
      await comm.launch(meet, { ...shape, abortable }, { comm: dev });
      await comm.synchronize();
      if (comm.rank !== 0) {
        if (how === 'world') setTimeout(() => controller.abort(new Error('the run is over')), 300);
        return;
      }
      const signal = how === 'signal' ? { signal: AbortSignal.timeout(300) } : {};
      await comm.launch(meet, { ...shape, abortable, ...signal }, { comm: dev });
      await comm.synchronize();
    },
    how === 'world' ? { signal: controller.signal } : {},
  );
  const started = performance.now();
  const reported = await run.then(() => undefined, errorFinding);
  const closing = performance.now();
  const closed = await world.close().then(() => 'closed', errorFinding);
  report({
    abortable,
    how,
    afterMs: Math.round(closing - started),
    told: reported,
    closed,
    closeMs: Math.round(performance.now() - closing),
  });
  if (reported === undefined) throw new Error('the wait ended without being stopped');
  if (abortable && closed !== 'closed') throw new Error('the kernel did not end');
}

async function faults(): Promise<void> {
  const world = await World.open({ backend: cuda() });
  const reported = await world
    .run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      if (comm.rank === 0) await comm.launch(strays, { grid: 1, block: 1 }, { win });
      await comm.synchronize();
    })
    .then(() => undefined, errorFinding);
  report({ told: reported });
  if (reported === undefined) throw new Error('the fault went unnoticed');
}

/** The ranks in reverse order sum and report their numbers, and then each of them alone. */
async function groups(): Promise<void> {
  await using world = await World.open({ backend: cuda() });
  const count = 4096;
  const seen = await world.run(async (comm) => {
    const found: {
      readonly rank: number;
      readonly nRanks: number;
      readonly lsaSize: number;
      readonly sum: number | undefined;
    }[] = [];
    for (const [color, key] of [
      [0, -comm.rank],
      [comm.rank, 0],
    ] as const) {
      await using made = await comm.split(color, key);
      const { rank, nRanks, lsaSize } = made;
      const win = await made.allocWindow(f32, count);
      const dev = await made.createDevComm({ lsaBarrierCount: 4 });
      await win.write(new Float32Array(count).fill(10 ** rank));
      const args = { comm: dev, win, offset: 0, count };
      await made.launch(allReduceKernel, shape, args);
      const sums = await win.read();
      found.push({ rank, nRanks, lsaSize, sum: sums.every((value) => value === sums[0]) ? sums[0] : undefined });
      await made.launch(meet, shape, { comm: dev });
      await made.synchronize();
    }
    return found;
  });
  report({ groups: seen });
  const n = world.nRanks;
  const whole = (10 ** n - 1) / 9;
  seen.forEach(([reversed, alone], rank) => {
    const right = reversed?.rank === n - 1 - rank && reversed.sum === whole && alone?.nRanks === 1 && alone.sum === 1;
    if (!right) throw new Error(`rank ${rank} is wrong`);
  });
}

/** Sums a window over exposed and adopted memory. Memory of cudaMalloc must be refused. */
async function interop(): Promise<void> {
  await using world = await World.open({ backend: cuda() });
  const count = 4096;
  const sums = await world.run(async (comm) => {
    const memory = await comm.memAlloc(count * 4);
    const given = await memory.expose();
    if (given.kind !== 'deviceTensor') throw new Error(given.kind);
    const tensor = { ...given, dtype: { code: 'float', bits: 32 }, shape: [count] } as const;
    const adopted = await comm.adoptMemory(tensor);
    const win = await comm.registerWindow(adopted, { type: f32 });
    if (win === null) throw new Error('there is no symmetric memory');
    await memory.write(new Float32Array(count).fill(comm.rank + 1));
    const dev = await comm.createDevComm({ lsaBarrierCount: 4 });
    await comm.launch(allReduceKernel, shape, { comm: dev, win, offset: 0, count });
    await comm.synchronize();
    const values = new Float32Array((await memory.read()).buffer);
    const exposed = await win.expose();
    return {
      first: values[0],
      last: values.at(-1),
      same: exposed.kind === 'deviceTensor' && exposed.data === given.data,
    };
  });
  const wanted = (world.nRanks * (world.nRanks + 1)) / 2;
  report({ wanted, sums });
  if (!sums.every(({ first, last, same }) => first === wanted && last === wanted && same))
    throw new Error('wrong sums');

  const elsewhere = await world
    .comm(0)
    .adoptMemory({
      ...(await world
        .comm(1)
        .memAlloc(4096)
        .then(async (m) => m.expose())),
    })
    .then(() => undefined, errorFinding);
  const nothing = {
    kind: 'deviceTensor',
    data: 4096n,
    device: { type: 'cuda', id: 0 },
    dtype: { code: 'uint', bits: 8 },
    shape: [4096],
  };
  const unknown = await world
    .comm(0)
    .adoptMemory(nothing)
    .then(() => undefined, errorFinding);
  report({ elsewhere, unknown });
  if (elsewhere === undefined || unknown === undefined) throw new Error('memory that cannot be adopted was adopted');
}

/** A process of several, each with one GPU. */
async function member(): Promise<void> {
  await using comm = await Communicator.init({ backend: cuda() });
  const win = await comm.allocWindow(f32, 1024);
  await win.write(new Float32Array(1024).fill(comm.rank + 1));
  const dev = await comm.createDevComm({ lsaBarrierCount: 4 });
  await comm.launch(allReduceKernel, shape, { comm: dev, win, offset: 0, count: 1024 });
  const values = await win.read();
  report({ rank: comm.rank, nRanks: comm.nRanks, lsaSize: comm.lsaSize, first: values[0], last: values[1023] });
  const wanted = (comm.nRanks * (comm.nRanks + 1)) / 2;
  if (!values.every((value) => value === wanted)) throw new Error(`${wanted} was expected`);
  // No rank closes its world while a peer still reads.
  await comm.launch(meet, shape, { comm: dev });
  await comm.synchronize();
}

async function processes(): Promise<void> {
  const { gpus } = await probe();
  const size = Math.min(gpus.length, 4);
  const port = 20000 + Math.floor(Math.random() * 20000);
  const statuses = await Promise.all(
    Array.from({ length: size }, async (_, rank) => {
      const env = {
        ...process.env,
        RANK: String(rank),
        LOCAL_RANK: String(rank),
        WORLD_SIZE: String(size),
        NCCL_COMM_ID: `127.0.0.1:${port}`,
      };
      const child = spawn(process.execPath, [process.argv[1] ?? '', '--alone', 'member'], { env, stdio: 'inherit' });
      const timer = setTimeout(() => child.kill('SIGKILL'), 90_000);
      const exit: readonly unknown[] = await once(child, 'exit');
      clearTimeout(timer);
      return exit[0];
    }),
  );
  report({ processes: size, statuses });
  if (statuses.some((status) => status !== 0)) throw new Error('a process failed');
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  graphs,
  prints,
  assertions,
  'prints-and-hangs': printsAndHangs,
  'abort-signal': async () => lonely(true, 'signal'),
  'abort-timeout': async () => lonely(true, 'timeout'),
  'abort-world': async () => lonely(true, 'world'),
  'not-abortable': async () => lonely(false, 'signal'),
  faults,
  processes,
  interop,
  groups,
};
const hidden: Readonly<Record<string, () => Promise<void>>> = { member };

const aloneAt = process.argv.indexOf('--alone');
if (aloneAt !== -1) {
  const name = process.argv[aloneAt + 1] ?? '';
  const action = parts[name] ?? hidden[name];
  await phase(`${name} (in its process)`, async () => action?.());
  finish();
}

const requested = Object.keys(parts).filter((name) => process.argv.includes(name));
for (const name of requested.length === 0 ? Object.keys(parts) : requested) {
  await phase(name, () => {
    const alone = spawnSync(process.execPath, ['--enable-source-maps', process.argv[1] ?? '', '--alone', name], {
      stdio: 'inherit',
      timeout: 120_000,
      killSignal: 'SIGKILL',
    });
    if (alone.status !== 0) throw new Error(`ended with ${alone.status ?? alone.signal}`);
  });
}
finish();
