import { createMacrotaskQueue } from '@nccl-ts/core';
import { FRAME_BYTES, bindProgram, programFunction, type CreateProgram, type KernelProgram } from '@nccl-ts/codegen';
import { RegionInstances } from '@nccl-ts/codegen/wasm';
import { Control } from './control.ts';
import { CtaLoop } from './cta-loop.ts';
import type { FromWorker, LaunchOrder, ToWorker, Work } from './messages.ts';
import { Residents } from '../engine/residents.ts';
import { WorkerHost, WorkerMemory } from './worker-host.ts';
import { WorkerLaunch } from './worker-launch.ts';

/** Messages to and from the world. */
export interface WorldPort {
  post(message: FromWorker): void;
  listen(receive: (message: ToWorker) => void): void;
  /**
   * Takes a message that was received but not delivered yet, on hosts that can poll for one without
   * their event loop.
   */
  take(): ToWorker | undefined;
}

interface LoadedCode {
  readonly create: CreateProgram;
  readonly strings: readonly string[];
  readonly instances: RegionInstances | undefined;
}

/** Serves a world: runs CTAs of its launches until the thread is ended from outside. */
export function startWorker(port: WorldPort): void {
  let worker: Worker | undefined;
  port.listen((message) => {
    if (message.kind === 'begin') {
      worker = new Worker(port, message);
      port.post({ kind: 'ready', problem: problem() });
    } else worker?.receive(message);
  });
}

/** Returns the feature that this thread lacks. */
function problem(): string | undefined {
  try {
    programFunction('a test', 'return 0;');
    return undefined;
  } catch {
    return 'new Function is forbidden';
  }
}

type Begin = Extract<ToWorker, { readonly kind: 'begin' }>;

class Worker {
  readonly #port: WorldPort;
  readonly #thread: number;
  readonly #memory = new WorkerMemory();
  readonly #codes = new Map<number, LoadedCode>();
  readonly #loop: CtaLoop;

  constructor(port: WorldPort, { thread, threads, control, residents, residentCtas, turns }: Begin) {
    this.#port = port;
    this.#thread = thread;
    const queue = createMacrotaskQueue();
    let isPosted = false;
    const resume = (): void => {
      isPosted = false;
      this.#loop.run();
    };
    this.#loop = new CtaLoop({
      thread,
      threads,
      turns,
      control: new Control(control),
      residents: new Residents(new Int32Array(residents), residentCtas),
      post: (message) => port.post(message),
      fetch: () => {
        const message = port.take();
        if (message === undefined || message.kind === 'begin') return false;
        this.#loop.receive(() => this.#deal(message));
        return true;
      },
      pause: () => {
        if (!isPosted) queue.post(resume);
        isPosted = true;
      },
    });
  }

  receive(message: Exclude<ToWorker, Begin>): void {
    this.#loop.receive(() => this.#deal(message));
    this.#loop.run();
  }

  #deal(message: Exclude<ToWorker, Begin>): void {
    switch (message.kind) {
      case 'work':
        this.#work(message);
        return;
      case 'drop':
        this.#loop.drop(message.launch);
        this.#port.post({ kind: 'dropped', launch: message.launch });
        return;
      case 'explain':
        this.#port.post({ kind: 'explained', query: message.query, parked: this.#loop.explain() });
        return;
    }
  }

  #work({ memory, bytes, regions, codes, launches }: Work): void {
    if (memory !== undefined) {
      this.#memory.linear = { memory: memory.memory, frame: memory.frames + (this.#thread + 1) * FRAME_BYTES };
    }
    this.#memory.grow(bytes);
    if (regions !== undefined) this.#memory.regions = regions;
    for (const { id, kernel, code } of codes) {
      const { wasm } = code;
      const instances = wasm === undefined ? undefined : new RegionInstances(() => wasm);
      this.#codes.set(id, { create: programFunction(kernel, code.text), strings: code.strings, instances });
    }
    for (const order of launches) this.#loop.add(new WorkerLaunch(order, (launch) => this.#bind(order, launch)));
  }

  #bind(order: LaunchOrder, { words }: WorkerLaunch): KernelProgram {
    const code = this.#codes.get(order.code);
    if (code === undefined) throw new Error(`There is no code for ${order.code}.`);
    const host = new WorkerHost(this.#memory, this.#loop.isLate, (cta, thread, parts) => {
      words.print();
      this.#port.post({ kind: 'print', launch: order.id, cta, thread, parts });
    });
    return bindProgram(code.create, {
      host,
      args: order.args,
      strings: code.strings,
      regions: code.instances?.of(host),
    });
  }
}
