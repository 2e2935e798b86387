import type { ValidatedModule } from '@nccl-ts/ir';
import type { Executable } from '@nccl-ts/transport';
import type { CudaSource } from '../cuda-source.ts';
import type { ArgumentLayout } from './argument-layout.ts';
import type { Launched } from './cuda-stream.ts';
import type { LaunchSlot } from './launch-slot.ts';

/** A kernel loaded on the GPUs of a world. */
export class CudaExecutable implements Executable, Launched {
  readonly name: string;
  readonly module: ValidatedModule;
  readonly source: CudaSource;
  /** True if its waits poll the host's word. */
  readonly abortable: boolean;
  /** True if it prints in a run without errors. Failed assertions are in the error. */
  readonly prints: boolean;
  /** True if its launches may overlap with earlier work. */
  readonly waitsForEarlier: boolean;
  /** True if one of its CTAs may wait for another. */
  readonly waitsForOthers: boolean;
  readonly #slots: ReadonlyMap<number, LaunchSlot>;

  constructor(
    module: ValidatedModule,
    source: CudaSource,
    { abortAt }: ArgumentLayout,
    slots: ReadonlyMap<number, LaunchSlot>,
  ) {
    this.name = module.name;
    this.module = module;
    this.source = source;
    this.abortable = abortAt !== undefined;
    this.prints = source.params.some(
      (param) => param.kind === 'printer' && param.sites.some(({ kind }) => kind === 'print'),
    );
    this.waitsForEarlier = source.waitsForEarlier === true;
    this.waitsForOthers = source.waitsForOthers !== false;
    this.#slots = slots;
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
}
