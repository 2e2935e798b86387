import type { WebgpuBackend, WebgpuWorld } from '@nccl-ts/backend-webgpu';
import type { Backend } from '@nccl-ts/transport';

/** A backend that also exposes its world. */
export function watched(backend: WebgpuBackend): { readonly backend: Backend; readonly world: () => WebgpuWorld } {
  let opened: WebgpuWorld | undefined;
  return {
    backend: {
      ...backend,
      open: async (options) => {
        opened = await backend.open(options);
        return opened;
      },
    },
    world: () => {
      if (opened === undefined) throw new RangeError('no world is open');
      return opened;
    },
  };
}
