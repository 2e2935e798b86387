import type { RegionCompiler } from '../emit-shared/kernel-regions.ts';
import { emitRegion } from './emit-region.ts';
import { encodeModule } from './encode-module.ts';
import { RegionInstances } from './region-instances.ts';
import { RegionSet } from './region-set.ts';
import { wat } from './wat.ts';

/** Compiles loops over the threads of a CTA to WebAssembly. */
export const webAssemblyRegions: RegionCompiler = (compilesAll, shared) => {
  const set = new RegionSet(compilesAll, shared);
  return {
    regions: set.regions,
    get hasFunctions() {
      return set.module !== undefined;
    },
    emit: (input) => emitRegion(input, set),
    left: (name, reason) => {
      set.left(name, reason);
    },
    compile: () => {
      const { module } = set;
      if (module === undefined) return undefined;
      const instances = new RegionInstances(() => encodeModule(module));
      return {
        get wat() {
          return wat(module);
        },
        get bytes() {
          return instances.bytes;
        },
        of: (host) => instances.of(host),
      };
    },
  };
};
