import type { Backend, BackendWorld } from '@nccl-ts/transport';

/** Takes the place of some of a world's operations; `world` is the one behind it. */
export type WorldDecorator = (world: BackendWorld) => Partial<BackendWorld>;

/**
 * A backend that passes everything on to `backend`, except for the members that `decorator`
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
 * Passes on all members of the world, optional operations too, and lacks those that the world
 * lacks.
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
    // A world must not be recognized by its class.
    getPrototypeOf: () => null,
  });
}
