import type { PtxVariable } from '../syntax/module.ts';

/**
 * The memory that the blocks of a cooperative launch use to synchronize. The barrier of cooperative
 * groups' `grid.sync()` is its second word. CUDA's driver puts the address into `%envreg1` (the
 * high half) and `%envreg2`, or 0 if a launch is not cooperative. Here it is a `.global` variable
 * of each rank, which the text does not contain. A launch of a kernel with this variable must be
 * cooperative.
 *
 * @see cooperative_groups::grid_group
 */
export const gridWorkspace: PtxVariable = Object.freeze({
  name: 'gridWorkspace',
  space: 'global',
  type: 'b32',
  width: 1,
  length: 4,
  bytes: 16,
  align: 16,
  isExtern: false,
  span: Object.freeze({ start: 0, end: 0 }),
});
