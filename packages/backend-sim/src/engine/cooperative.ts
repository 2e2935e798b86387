import { NcclError } from '@nccl-ts/core';
import type { LaunchConfig } from '@nccl-ts/transport';

/**
 * Refuses a cooperative grid that the device cannot hold at one time.
 *
 * @throws NcclError `NCCL_INVALID_USAGE`
 * @see cudaErrorCooperativeLaunchTooLarge
 */
export function cooperativeTooLarge(
  { grid, attributes }: Pick<LaunchConfig, 'grid' | 'attributes'>,
  residentCtas: number,
): void {
  const ctas = grid.x * grid.y * grid.z;
  if (attributes?.cooperative !== true || ctas <= residentCtas) return;
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `launch: cannot launch ${ctas} CTAs cooperatively because the device holds ${residentCtas}; lower the grid or raise residentCtas.`,
  );
}
