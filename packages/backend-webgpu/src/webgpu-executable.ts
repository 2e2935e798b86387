import type { ValidatedModule } from '@nccl-ts/ir';
import type { Dim3, Executable } from '@nccl-ts/transport';
import { emitWgsl } from './emit-wgsl/index.ts';
import { compileCode, type KernelCode } from './engine/kernel-code.ts';
import type { AcquiredDevice } from './gpu/acquired-device.ts';
import type { EmitWgslOptions, WgslSource } from './wgsl-source.ts';

/** A device for which kernels are compiled, and the constants of all kernels there. */
export interface KernelTarget {
  readonly device: AcquiredDevice;
  readonly options: Omit<EmitWgslOptions, 'blockDim' | 'fields' | 'segments'>;
}

/**
 * A kernel, and its compiled code so far for each device, block size, and number of the caller's
 * buffers.
 */
export class WebgpuExecutable implements Executable {
  readonly name: string;
  readonly module: ValidatedModule;
  readonly #codes = new Map<KernelTarget, Map<string, Promise<KernelCode>>>();
  readonly #sources = new Map<string, WgslSource>();

  constructor(module: ValidatedModule) {
    this.name = module.name;
    this.module = module;
  }

  get artifacts(): readonly { readonly language: string; readonly text: string }[] {
    return [...this.#sources.values()].map(({ text }) => ({ language: 'wgsl', text }));
  }

  /**
   * Returns the code for launches of that block size on a device whose device communicators have
   * the values of `fields`.
   */
  async codeFor(
    target: KernelTarget,
    blockDim: Dim3,
    fields: Readonly<Record<string, number>>,
    segments: number,
  ): Promise<KernelCode> {
    const key = `${blockDim.x},${blockDim.y},${blockDim.z};${segments};${JSON.stringify(fields)}`;
    const codes = this.#codes.get(target) ?? new Map<string, Promise<KernelCode>>();
    this.#codes.set(target, codes);
    const known = codes.get(key);
    if (known !== undefined) return known;
    const source = this.#sourceFor({ ...target.options, blockDim, fields, segments });
    const code = compileCode(target.device, this.name, source, segments);
    codes.set(key, code);
    return code;
  }

  /** Devices with the same limits share the text. */
  #sourceFor(options: EmitWgslOptions): WgslSource {
    const key = JSON.stringify(options);
    const source = this.#sources.get(key) ?? emitWgsl(this.module, options);
    this.#sources.set(key, source);
    return source;
  }
}
