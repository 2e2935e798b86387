import type { ValidatedModule } from '@nccl-ts/ir';
import type { Dim3, Executable } from '@nccl-ts/transport';
import { emitWgsl } from './emit-wgsl/index.ts';
import { compileCode, type KernelCode } from './engine/kernel-code.ts';
import type { AcquiredDevice } from './gpu/acquired-device.ts';
import type { EmitWgslOptions } from './wgsl-source.ts';

/** What is the same for all kernels of a world. */
export type WorldEmitOptions = Omit<EmitWgslOptions, 'blockDim' | 'fields' | 'segments'>;

/** A kernel and what was compiled of it so far: for each block size, and number of the caller's buffers. */
export class WebgpuExecutable implements Executable {
  readonly name: string;
  readonly module: ValidatedModule;
  readonly #device: AcquiredDevice;
  readonly #options: WorldEmitOptions;
  readonly #codes = new Map<string, Promise<KernelCode>>();
  readonly #texts: string[] = [];

  constructor(device: AcquiredDevice, module: ValidatedModule, options: WorldEmitOptions) {
    this.name = module.name;
    this.module = module;
    this.#device = device;
    this.#options = options;
  }

  get artifacts(): readonly { readonly language: string; readonly text: string }[] {
    return this.#texts.map((text) => ({ language: 'wgsl', text }));
  }

  /** The code for launches of that block size, whose device communicators share the values of `fields`. */
  async codeFor(blockDim: Dim3, fields: Readonly<Record<string, number>>, segments: number): Promise<KernelCode> {
    const key = `${blockDim.x},${blockDim.y},${blockDim.z};${segments};${JSON.stringify(fields)}`;
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    const source = emitWgsl(this.module, { ...this.#options, blockDim, fields, segments });
    this.#texts.push(source.text);
    const code = compileCode(this.#device, this.name, source, segments);
    this.#codes.set(key, code);
    return code;
  }
}
