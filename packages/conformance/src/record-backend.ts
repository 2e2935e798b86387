import type { ValidatedModule } from '@nccl-ts/ir';
import type { Backend, Executable } from '@nccl-ts/transport';
import { decorateBackend } from './decorate-backend.ts';

/** A backend that records its calls. */
export interface RecordedBackend {
  readonly backend: Backend;
  /**
   * The problems in the record, such as objects that were not freed, or a launch that does not
   * match its kernel.
   */
  problems(): readonly string[];
}

/**
 * Wraps a backend in an object that forwards and counts every call. A case that passes on the
 * backend itself also passes on the wrapped one, unless code relies on more than the backend
 * interface.
 */
export function recordBackend(backend: Backend): RecordedBackend {
  const problems: string[] = [];
  let open = 0;
  let windows = 0;
  let devComms = 0;
  const decorated = decorateBackend(backend, (world) => {
    open++;
    const modules = new WeakMap<Executable, ValidatedModule>();
    return {
      registerWindow: async (parts, bytes, flags) => {
        if (parts.length !== world.localRanks.length)
          problems.push('A window was registered without a buffer for each rank.');
        const window = await world.registerWindow(parts, bytes, flags);
        windows++;
        return window;
      },
      deregisterWindow: async (window) => {
        windows--;
        await world.deregisterWindow(window);
      },
      createDevComm: async (plan, teamRanks) => {
        const devComm = await world.createDevComm(plan, teamRanks);
        devComms++;
        return devComm;
      },
      destroyDevComm: async (devComm) => {
        devComms--;
        await world.destroyDevComm(devComm);
      },
      compile: async (module) => {
        const executable = await world.compile(module);
        modules.set(executable, module);
        return executable;
      },
      launch: (executable, config, args) => {
        const wanted = modules.get(executable)?.params.length;
        if (wanted !== args.length)
          problems.push(`${executable.name} takes ${wanted} arguments and was launched with ${args.length}.`);
        world.launch(executable, config, args);
      },
      [Symbol.asyncDispose]: async () => {
        open--;
        await world[Symbol.asyncDispose]();
      },
    };
  });
  return {
    backend: decorated,
    problems: () => [
      ...problems,
      ...(open === 0 ? [] : [`${open} worlds were opened and not closed.`]),
      ...(windows >= 0 ? [] : ['A window was deregistered twice.']),
      ...(devComms >= 0 ? [] : ['A device communicator was destroyed twice.']),
    ],
  };
}
