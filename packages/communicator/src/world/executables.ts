import { NcclError } from '@nccl-ts/core';
import type { ApiRuntime } from '@nccl-ts/devcomm';
import { renderDiagnostics } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import type { Backend, BackendWorld, Executable } from '@nccl-ts/transport';
import { checkKernelVersion } from './kernel-version.ts';
import { validated } from './validated.ts';

/**
 * The kernels that a world has compiled: each one once, at the first launch of any rank, even if
 * compiling fails. A kernel that is also launched as abortable is compiled a second time.
 */
export class Executables {
  readonly #backend: Backend;
  readonly #device: BackendWorld;
  readonly #api: ApiRuntime;
  readonly #compiled = new WeakMap<Kernel, Promise<Executable>>();
  readonly #abortable = new WeakMap<Kernel, Promise<Executable>>();
  /** The results of the promises above that have resolved. */
  readonly #ready = new WeakMap<Promise<Executable>, Executable>();

  constructor(backend: Backend, device: BackendWorld, api: ApiRuntime) {
    this.#backend = backend;
    this.#device = device;
    this.#api = api;
  }

  /**
   * @throws NcclError `NCCLTS_COMPILE` if the kernel has errors or needs something that the backend
   *   does not support; `NCCL_INVALID_USAGE` if the runtime does not support its version.
   */
  get(kernel: Kernel, abortable?: boolean): Promise<Executable> {
    const known = abortable === true ? this.#abortable : this.#compiled;
    let executable = known.get(kernel);
    if (executable === undefined) {
      const compiling = this.#compile(kernel, abortable);
      executable = compiling;
      known.set(kernel, compiling);
      compiling.then(
        (compiled) => this.#ready.set(compiling, compiled),
        () => undefined,
      );
    }
    return executable;
  }

  /**
   * Returns the executable if `get` has already resolved. Launches of it need not wait for a
   * microtask.
   */
  ready(kernel: Kernel, abortable?: boolean): Executable | undefined {
    const known = abortable === true ? this.#abortable : this.#compiled;
    const compiled = known.get(kernel);
    return compiled === undefined ? undefined : this.#ready.get(compiled);
  }

  async #compile(kernel: Kernel, abortable: boolean | undefined): Promise<Executable> {
    const module = kernel.compile();
    checkKernelVersion(module, this.#api);
    const result = validated(module, this.#backend.capabilities);
    if (!result.ok) {
      throw new NcclError(
        'NCCLTS_COMPILE',
        `kernel '${kernel.name}' cannot run on backend ${this.#backend.name}\n\n${renderDiagnostics(result.diagnostics, module.sources)}`,
        { details: { kernel: kernel.name, diagnostics: result.diagnostics } },
      );
    }
    return this.#device.compile(result.module, abortable === true ? { abortable } : {});
  }
}
