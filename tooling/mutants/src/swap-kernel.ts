import { decorateBackend } from '@nccl-ts/conformance';
import { printModule, type ValidatedModule } from '@nccl-ts/ir';
import type { Backend } from '@nccl-ts/transport';

/** `backend`, and every module that it is given to compile, each once, in order: complete when the program is over. */
export function recordKernels(backend: Backend): { readonly backend: Backend; readonly kernels: () => readonly ValidatedModule[] } {
  const seen = new Map<string, ValidatedModule>();
  return {
    backend: decorateBackend(backend, (world) => ({
      compile: async (module) => {
        const text = printModule(module);
        if (!seen.has(text)) seen.set(text, module);
        return world.compile(module);
      },
    })),
    kernels: () => [...seen.values()],
  };
}

/** `backend`, which compiles `mutant` where it is given `kernel`. */
export function swapKernel(backend: Backend, kernel: ValidatedModule, mutant: ValidatedModule): Backend {
  const text = printModule(kernel);
  return decorateBackend(backend, (world) => ({
    compile: async (module) => world.compile(printModule(module) === text ? mutant : module),
  }));
}
