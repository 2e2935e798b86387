import { z } from 'zod';
import { plain } from './program-text.ts';

/** The launch of a kernel, as tools take it. */
export const launchFields = {
  args: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('Values of scalar parameters of the kernel: { "count": 256 }.'),
  ranks: z.array(z.number().int().min(1).max(64)).min(1).max(8).optional().describe('The numbers of ranks: [4].'),
  grid: z.number().int().min(1).max(1024).optional().describe('CTAs of each rank.'),
  block: z.number().int().min(1).max(1024).optional().describe('Threads of each CTA.'),
} as const;

/** The launch of a kernel. */
export interface LaunchValues {
  readonly args?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly ranks?: readonly number[] | undefined;
  readonly grid?: number | undefined;
  readonly block?: number | undefined;
}

/** Returns the launch as options of the command line. */
export function launchWords({ args = {}, ranks, grid, block }: LaunchValues): readonly string[] {
  return [
    ...Object.entries(args).flatMap(([name, value]) => ['--arg', `${plain('args', name)}=${String(value)}`]),
    ...(ranks === undefined ? [] : ['--ranks', ranks.join(',')]),
    ...(grid === undefined ? [] : ['--grid', String(grid)]),
    ...(block === undefined ? [] : ['--block', String(block)]),
  ];
}
