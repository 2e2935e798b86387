import type { Backend, BackendWorld } from '@nccl-ts/transport';

/** Replaces some of a world's operations. `world` is the original world. */
export type WorldDecorator = (world: BackendWorld) => Partial<BackendWorld>;

/**
 * Makes a backend that forwards all calls to `backend`, except for the members that `decorator`
 * replaces.
 */
export function decorateBackend(backend: Backend, decorator: WorldDecorator): Backend {
  return Object.freeze<Backend>({
    name: backend.name,
    capabilities: backend.capabilities,
    open: async (options) => {
      const world = await backend.open(options);
      return decorateWorld(world, decorator(world));
    },
  });
}

/**
 * Forwards all members of the world, including optional ones. It lacks the operations that the
 * world lacks.
 */
function decorateWorld(world: BackendWorld, replacements: Partial<BackendWorld>): BackendWorld {
  return new Proxy(world, {
    get: (target, name): unknown => {
      if (Object.hasOwn(replacements, name)) return Reflect.get(replacements, name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function'
        ? (...args: unknown[]): unknown => Reflect.apply(member, target, args)
        : member;
    },
    // Code must not identify a world by its class.
    getPrototypeOf: () => null,
  });
}
