import { NcclError } from '@nccl-ts/core';
import { renderDiagnostics, validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import type { Backend, BackendWorld, Executable } from '@nccl-ts/transport';

/** The kernels that a world has compiled: each one once, whichever rank launches it first, if it fails as well. */
export class Executables {
  readonly #backend: Backend;
  readonly #device: BackendWorld;
  readonly #compiled = new WeakMap<Kernel, Promise<Executable>>();

  constructor(backend: Backend, device: BackendWorld) {
    this.#backend = backend;
    this.#device = device;
  }

  /** @throws NcclError `NCCLTS_COMPILE` where the kernel is wrong or asks for what the backend cannot do. */
  get(kernel: Kernel): Promise<Executable> {
    let executable = this.#compiled.get(kernel);
    if (executable === undefined) {
      executable = this.#compile(kernel);
      this.#compiled.set(kernel, executable);
    }
    return executable;
  }

  async #compile(kernel: Kernel): Promise<Executable> {
    const module = kernel.compile();
    const result = validate(module, this.#backend.capabilities);
    if (!result.ok) {
      throw new NcclError(
        'NCCLTS_COMPILE',
        `kernel '${kernel.name}' cannot run on backend ${this.#backend.name}\n\n${renderDiagnostics(result.diagnostics, module.sources)}`,
        { details: { kernel: kernel.name, diagnostics: result.diagnostics } },
      );
    }
    return this.#device.compile(result.module);
  }
}
