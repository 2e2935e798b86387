import { NcclError } from '@nccl-ts/core';
import { mapBody, validate, type BodyMapper } from '@nccl-ts/ir';
import type { Backend } from '@nccl-ts/transport';
import { decorateBackend } from '../decorate-backend.ts';

/** Makes a backend that maps the body of every kernel before it compiles it. */
export function rewriteModules(backend: Backend, mapper: BodyMapper): Backend {
  return decorateBackend(backend, (world) => ({
    compile: async (module) => {
      const result = validate({ ...module, body: mapBody(module.body, mapper) }, backend.capabilities);
      if (result.ok) return world.compile(result.module);
      const [first] = result.diagnostics;
      throw new NcclError(
        'NCCL_INTERNAL_ERROR',
        `The mutant of kernel ${module.name} is not a valid module: ${first?.message}`,
      );
    },
  }));
}
