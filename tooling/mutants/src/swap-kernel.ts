import { decorateBackend } from '@nccl-ts/conformance';
import { printModule, type ValidatedModule } from '@nccl-ts/ir';
import type { Backend, Dim3, Executable } from '@nccl-ts/transport';

/** A kernel that a program launches. */
export interface Launched {
  readonly module: ValidatedModule;
  /** The CTAs of its largest grid, and the threads of its largest CTA. */
  readonly ctas: number;
  readonly blockThreads: number;
}

/**
 * A backend, and the launches on it, with each kernel once, in order. The list is complete when the
 * program has ended.
 */
export function recordKernels(backend: Backend): {
  readonly backend: Backend;
  readonly launched: () => readonly Launched[];
  /** True if a launch failed, as in programs that test the report of a failure. */
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
      if (!seen.has(text)) seen.set(text, { module, ctas: 0, blockThreads: 0 });
      return executable;
    },
    launch: (executable, config, args) => {
      const text = texts.get(executable) ?? '';
      const known = seen.get(text);
      if (known !== undefined) {
        const ctas = Math.max(known.ctas, sizeOf(config.grid));
        seen.set(text, { ...known, ctas, blockThreads: Math.max(known.blockThreads, sizeOf(config.block)) });
      }
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

function sizeOf({ x, y, z }: Dim3): number {
  return x * y * z;
}

/** A backend that compiles `mutant` instead of `kernel`. */
export function swapKernel(backend: Backend, kernel: ValidatedModule, mutant: ValidatedModule): Backend {
  const text = printModule(kernel);
  return decorateBackend(backend, (world) => ({
    compile: async (module) => world.compile(printModule(module) === text ? mutant : module),
  }));
}
