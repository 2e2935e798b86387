import { decorateBackend } from '@nccl-ts/conformance';
import { printModule, type ValidatedModule } from '@nccl-ts/ir';
import type { Backend, Executable } from '@nccl-ts/transport';

/** A kernel that a program launches. */
export interface Launched {
  readonly module: ValidatedModule;
  /** Threads of its largest CTA. */
  readonly blockThreads: number;
}

/** `backend`, and what is launched on it, each kernel once, in order: complete when the program is over. */
export function recordKernels(backend: Backend): {
  readonly backend: Backend;
  readonly launched: () => readonly Launched[];
  /** Whether a launch failed, as programs do on purpose that test how that is told. */
  readonly failed: () => boolean;
} {
  const seen = new Map<string, Launched>();
  const texts = new Map<Executable, string>();
  let failed = false;
  const recorded = decorateBackend(backend, (world) => ({
    compile: async (module) => {
      const executable = await world.compile(module);
      const text = printModule(module);
      texts.set(executable, text);
      if (!seen.has(text)) seen.set(text, { module, blockThreads: 0 });
      return executable;
    },
    launch: (executable, config, args) => {
      const text = texts.get(executable) ?? '';
      const known = seen.get(text);
      const { x, y, z } = config.block;
      if (known !== undefined) seen.set(text, { ...known, blockThreads: Math.max(known.blockThreads, x * y * z) });
      world.launch(executable, config, args);
    },
    synchronize: async (stream) => {
      try {
        return await world.synchronize(stream);
      } catch (error) {
        failed = true;
        throw error;
      }
    },
  }));
  return {
    backend: recorded,
    launched: () => [...seen.values()].filter(({ blockThreads }) => blockThreads > 0),
    failed: () => failed,
  };
}

/** `backend`, which compiles `mutant` where it is given `kernel`. */
export function swapKernel(backend: Backend, kernel: ValidatedModule, mutant: ValidatedModule): Backend {
  const text = printModule(kernel);
  return decorateBackend(backend, (world) => ({
    compile: async (module) => world.compile(printModule(module) === text ? mutant : module),
  }));
}
