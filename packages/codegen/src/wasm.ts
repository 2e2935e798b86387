export { RegionInstances } from './emit-wasm/region-instances.ts';
export { webAssemblyRegions } from './emit-wasm/web-assembly-regions.ts';
