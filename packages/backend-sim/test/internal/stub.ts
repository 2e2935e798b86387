import { planDevComm, type DevCommRequirements } from '@nccl-ts/devcomm';
import type { Site, Waiting } from '@nccl-ts/findings';
import type {
  CtaIdentity,
  BackendWorld,
  DevCommHandle,
  DeviceBuffer,
  Dim3,
  KernelArg,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import type { ValidatedModule } from '@nccl-ts/ir';
import { createTopology } from '@nccl-ts/topology';
import type {
  ArgValue,
  Cta,
  DevCommValue,
  KernelProgram,
  ProgramCode,
  ProgramHost,
  WindowValue,
} from '@nccl-ts/codegen';
import { resolveSimOptions, type SimOptions } from '../../src/world/sim-options.ts';
import { loadInstruments } from '../../src/world/instruments.ts';
import { createSimWorld, type SimWorld } from '../../src/world/sim-world.ts';

/** The values that a hand-written kernel yields: the end of a turn, or a condition to wait for. */
export type Step = 'yield' | { readonly until: () => boolean; readonly waiting?: () => readonly Waiting[] };

export interface StubThread {
  readonly host: ProgramHost;
  readonly args: readonly ArgValue[];
  readonly cta: CtaIdentity;
}

/** A kernel as a generator in place of generated code, one for each CTA. */
export interface StubKernel {
  readonly name: string;
  readonly text?: string;
  /** The text of a device function: source 1. */
  readonly library?: string;
  readonly sites?: readonly Site[];
  readonly body: (thread: StubThread) => Generator<Step, void>;
}

class StubCta implements Cta {
  readonly identity: CtaIdentity;
  readonly steps: Generator<Step, void>;
  pending: Exclude<Step, 'yield'> | undefined;

  constructor(identity: CtaIdentity, steps: Generator<Step, void>) {
    this.identity = identity;
    this.steps = steps;
  }
}

function stubCta(cta: Cta): StubCta {
  if (cta instanceof StubCta) return cta;
  throw new TypeError('not a CTA of this program');
}

/** The code of a kernel, which is the same for all specialisations. */
export function stubCode(kernel: StubKernel): ProgramCode {
  return {
    language: 'js',
    text: `// ${kernel.name}`,
    sites: kernel.sites ?? [],
    bind: (host, args): KernelProgram => ({
      start: (cta) => new StubCta(cta, kernel.body({ host, args, cta })),
      resume: (cta) => {
        const own = stubCta(cta);
        for (;;) {
          if (own.pending !== undefined && !own.pending.until()) return 'parked';
          own.pending = undefined;
          const step = own.steps.next();
          if (step.done === true) return 'done';
          if (step.value === 'yield') return 'yielded';
          own.pending = step.value;
        }
      },
      canResume: (cta) => stubCta(cta).pending?.until() ?? true,
      waiting: (cta) => stubCta(cta).pending?.waiting?.() ?? [],
    }),
  };
}

/** Those of worlds that check; the others have no use for them. */
const instruments = await loadInstruments({ mode: 'check', trace: undefined, engine: 'js' });

/** A world whose kernels are stubs, found by name. */
export class StubWorld {
  readonly world: SimWorld;
  readonly stalls: (Error | undefined)[] = [];
  readonly emitted: string[] = [];
  readonly #kernels = new Map<string, StubKernel>();

  constructor(options: SimOptions) {
    const resolved = resolveSimOptions(options);
    const topology = createTopology({ ranks: resolved.ranks, lsaSize: resolved.lsaSize });
    const onStall = (error: Error | undefined): void => {
      this.stalls.push(error);
    };
    this.world = createSimWorld(topology, { ...resolved, instruments, onStall }, (module, { blockDim, fields }) => {
      this.emitted.push(`${module.name} ${blockDim.x}x${blockDim.y}x${blockDim.z} ${JSON.stringify(fields)}`);
      const kernel = this.#kernels.get(module.name);
      if (kernel === undefined) throw new RangeError(`no kernel ${module.name}`);
      return stubCode(kernel);
    });
  }

  compile(kernel: StubKernel): ReturnType<BackendWorld['compile']> {
    this.#kernels.set(kernel.name, kernel);
    const sources = [
      { name: kernel.name, text: kernel.text ?? '' },
      { name: 'library', text: kernel.library ?? '' },
    ];
    const module = { name: kernel.name, params: [], locals: [], arrays: [], body: [], sources };
    return this.world.compile(module as unknown as ValidatedModule);
  }

  /** Launches on a stream, after compiling. */
  async launch(kernel: StubKernel, stream: StreamHandle, options: StubLaunch = {}): Promise<void> {
    const executable = await this.compile(kernel);
    const { grid = 1, block = 32, args = [], signal } = options;
    const config = { grid: dim(grid), block: dim(block), stream, ...(signal === undefined ? {} : { signal }) };
    this.world.launch(executable, config, args);
  }

  streams(): Promise<StreamHandle[]> {
    return Promise.all(this.world.localRanks.map((rank) => this.world.createStream(rank)));
  }

  buffers(bytes: number): Promise<DeviceBuffer[]> {
    return Promise.all(this.world.localRanks.map((rank) => this.world.alloc(rank, bytes)));
  }

  devComm(requirements: DevCommRequirements): Promise<DevCommHandle> {
    const plan = planDevComm(requirements, this.world.topology, { symmetric: true, multimem: false, gin: 'none' });
    return this.world.createDevComm(plan);
  }

  async window(bytes: number): Promise<{ readonly window: WindowHandle; readonly buffers: DeviceBuffer[] }> {
    const buffers = await this.buffers(bytes);
    const parts = buffers.map((buffer) => ({ buffer, offset: 0 }));
    return { buffers, window: await this.world.registerWindow(parts, bytes, 1) };
  }
}

export interface StubLaunch {
  readonly grid?: number;
  readonly block?: number;
  readonly args?: readonly KernelArg[];
  readonly signal?: AbortSignal;
}

function dim(x: number): Dim3 {
  return { x, y: 1, z: 1 };
}

export function windowArg(window: WindowHandle): KernelArg {
  return { kind: 'window', window };
}

/** The device communicator among a kernel's arguments. */
export function devCommValue(args: readonly ArgValue[], index = 0): DevCommValue {
  const value = args[index];
  if (typeof value === 'object' && 'windows' in value) return value;
  throw new TypeError(`argument ${index} is no device communicator`);
}

/** LSA barrier `index`, word for word as in NCCL, by one thread instead of four. */
export function* lsaBarrier(thread: StubThread, comm: DevCommValue, index: number, site = 0): Generator<Step, void> {
  const window = comm.windows['resourceWindow'];
  if (window === undefined) throw new TypeError('no resource window');
  const u32 = (): Uint32Array => thread.host.heap.u32;
  const me = comm.fields['lsaRank'] ?? 0;
  const base = (comm.fields['lsaBarrier.bufHandle'] ?? 0) * 32;
  const n = comm.fields['lsaBarrier.nBarriers'] ?? 0;
  const inbox = (peer: number, from: number): number =>
    wordAt(window, peer, base + 3 * n + index * window.lsaSize + from);
  const saved = wordAt(window, me, base + n + index);
  const next = (u32()[saved] ?? 0) + 1;
  for (let peer = 0; peer < window.lsaSize; peer++) if (peer !== me) u32()[inbox(peer, me)] = next;
  for (let peer = 0; peer < window.lsaSize; peer++) {
    if (peer === me) continue;
    const at = inbox(me, peer);
    yield {
      until: () => ((u32()[at] ?? 0) - next) >>> 0 <= 0x7fffffff,
      waiting: () => [
        {
          site,
          kind: 'waitAll',
          threads: [0, 1, 2, 3],
          words: [
            { address: at * 4, region: window.firstRegion + me, space: 'global', type: 'u32', value: u32()[at] ?? 0 },
          ],
          needed: `${next} (rolling, 32 bits)`,
        },
      ],
    };
  }
  u32()[saved] = next;
}

/** The window among a kernel's arguments. */
export function windowValue(args: readonly ArgValue[], index = 0): WindowValue {
  const value = args[index];
  if (typeof value === 'object' && 'bases' in value) return value;
  throw new TypeError(`argument ${index} is no window`);
}

/** The index in `heap.u32` of a word of a peer's copy. */
export function wordAt(window: WindowValue, peer: number, word: number): number {
  return ((window.bases[peer] ?? 0) >> 2) + word;
}

/**
 * A barrier over the window's team, as LSA barriers do it: word `p` of every copy counts the
 * arrivals of peer `p`.
 */
export function* barrier(thread: StubThread, window: WindowValue, site = 0): Generator<Step, void> {
  const me = window.fields['lsaRank'] ?? 0;
  const next = (thread.host.heap.u32[wordAt(window, me, me)] ?? 0) + 1;
  for (let peer = 0; peer < window.lsaSize; peer++) thread.host.heap.u32[wordAt(window, peer, me)] = next;
  for (let peer = 0; peer < window.lsaSize; peer++) {
    const at = wordAt(window, me, peer);
    yield {
      until: () => (thread.host.heap.u32[at] ?? 0) >= next,
      waiting: () => [
        {
          site,
          kind: 'wait',
          threads: [0, 1, 2, 3],
          words: [
            {
              address: at * 4,
              region: window.firstRegion + me,
              space: 'global',
              type: 'u32',
              value: thread.host.heap.u32[at] ?? 0,
            },
          ],
          needed: `>= ${next}`,
        },
      ],
    };
  }
}
