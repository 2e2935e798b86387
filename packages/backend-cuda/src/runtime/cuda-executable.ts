import type { ValidatedModule } from '@nccl-ts/ir';
import type { Executable } from '@nccl-ts/transport';
import type { CudaSource } from '../cuda-source.ts';
import type { LaunchSlot } from './launch-slot.ts';

/** A kernel loaded on the GPUs of a world. */
export class CudaExecutable implements Executable {
  readonly name: string;
  readonly module: ValidatedModule;
  readonly source: CudaSource;
  /** Whether its waits watch the host's word. */
  readonly abortable: boolean;
  readonly prints: boolean;
  readonly #slots: ReadonlyMap<number, LaunchSlot>;

  constructor(init: {
    readonly module: ValidatedModule;
    readonly source: CudaSource;
    readonly abortable: boolean;
    readonly prints: boolean;
    readonly slots: ReadonlyMap<number, LaunchSlot>;
  }) {
    this.name = init.module.name;
    this.module = init.module;
    this.source = init.source;
    this.abortable = init.abortable;
    this.prints = init.prints;
    this.#slots = init.slots;
  }

  get artifacts(): readonly { readonly language: string; readonly text: string }[] {
    return [{ language: 'cuda', text: this.source.text }];
  }

  /** The kernel on the GPU of a rank. */
  slot(rank: number): LaunchSlot {
    const slot = this.#slots.get(rank);
    if (slot === undefined) throw new RangeError(`Rank ${rank} is not a rank of this process.`);
    return slot;
  }

  get slots(): Iterable<LaunchSlot> {
    return this.#slots.values();
  }
}
