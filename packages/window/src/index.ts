export { layoutResourceWindow, RESOURCE_UNIT, resourceOffset } from './resource-layout.ts';
export type { ResourceBuffer, ResourceLayout, ResourceWindowOptions } from './resource-layout.ts';
export { isSymPtr, symPtr } from './sym-ptr.ts';
export type { SymPtr } from './sym-ptr.ts';
export { hasWindowFlag, isWindowFlags, WIN_ALIGNMENT, WindowFlags } from './window-flags.ts';
