import type { SimBackend, SimOptions } from '@nccl-ts/backend-sim';

const dist = new URL('../../../../packages/backend-sim/dist/', import.meta.url);

type MakeSim = (resolved: unknown, scheduler: undefined, parts: { readonly looks: 'none' }) => SimBackend;
type Resolve = (options: SimOptions) => unknown;

/**
 * The simulator with turns that never pause. It is not public, so it comes from the build of the
 * package and not from its entry.
 */
export async function unpausedSim(options: SimOptions): Promise<SimBackend> {
  const backend: unknown = await import(new URL('sim-backend.js', dist).href);
  const resolving: unknown = await import(new URL('sim-options.js', dist).href);
  if (!hasMake(backend) || !hasResolve(resolving))
    throw new Error('packages/backend-sim/dist has no simWith: build the package');
  return backend.simWith(resolving.resolveSimOptions(options), undefined, { looks: 'none' });
}

function hasMake(value: unknown): value is { readonly simWith: MakeSim } {
  return typeof value === 'object' && value !== null && 'simWith' in value && typeof value.simWith === 'function';
}

function hasResolve(value: unknown): value is { readonly resolveSimOptions: Resolve } {
  if (typeof value !== 'object' || value === null || !('resolveSimOptions' in value)) return false;
  return typeof value.resolveSimOptions === 'function';
}
