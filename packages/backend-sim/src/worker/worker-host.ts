import type { Fault } from '@nccl-ts/findings';
import type { CtaIdentity } from '@nccl-ts/transport';
import {
  viewsOf,
  type HeapViews,
  type LinearMemory,
  type NetworkPort,
  type ProgramHost,
  type Regions,
  type WindowLocation,
} from '@nccl-ts/codegen';

/** The state that a thread's programs share: the memory as of the last message. */
export class WorkerMemory {
  views: HeapViews = viewsOf(new ArrayBuffer(0));
  regions: Regions = { low: new Float64Array(1), high: new Float64Array(1), multicast: [] };
  #linear: LinearMemory | undefined;

  get linear(): LinearMemory {
    if (this.#linear === undefined) throw new Error('There is no memory yet.');
    return this.#linear;
  }

  set linear(linear: LinearMemory) {
    this.#linear = linear;
  }

  /** Called when the memory has grown to `bytes`. */
  grow(bytes: number): void {
    const { memory } = this.linear;
    if (this.views.u8.length >= bytes) return;
    // It has grown on another thread. This thread sees that only when it grows the memory itself.
    if (memory.buffer.byteLength < bytes) memory.grow(0);
    this.views = viewsOf(memory.buffer);
  }
}

/** A fault of generated code, thrown on its way to the report. */
export class ThrownFault extends Error {
  readonly cta: CtaIdentity;
  readonly fault: Fault;

  constructor(cta: CtaIdentity, fault: Fault) {
    super(fault.kind);
    this.cta = cta;
    this.fault = fault;
  }
}

/**
 * The parts of the world that a launch's generated code may use on a thread other than the world's
 * own.
 */
export class WorkerHost implements ProgramHost {
  readonly network: NetworkPort = noNetwork;
  readonly print: ProgramHost['print'];
  readonly isLate: () => boolean;
  readonly #memory: WorkerMemory;

  constructor(memory: WorkerMemory, isLate: () => boolean, print: ProgramHost['print']) {
    this.#memory = memory;
    this.isLate = isLate;
    this.print = print;
  }

  get heap(): HeapViews {
    return this.#memory.views;
  }

  get linear(): LinearMemory {
    return this.#memory.linear;
  }

  get regions(): Regions {
    return this.#memory.regions;
  }

  clock(): bigint {
    return elsewhere();
  }

  windowAt(): WindowLocation | undefined {
    return elsewhere();
  }

  pointerAt(): never {
    return elsewhere();
  }

  addressOf(): never {
    return elsewhere();
  }

  fault(cta: CtaIdentity, fault: Fault): never {
    throw new ThrownFault(cta, fault);
  }
}

/** Kernels that need this are not sent to other threads. */
function elsewhere(): never {
  throw new Error('This thread has neither network nor clock nor windows.');
}

const noNetwork: NetworkPort = {
  post: elsewhere,
  acquire: elsewhere,
  reset: elsewhere,
  checkListed: elsewhere,
  release: elsewhere,
  deliver: elsewhere,
  fence: elsewhere,
};
