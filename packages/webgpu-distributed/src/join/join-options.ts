import { showValue } from '@nccl-ts/core';
import type { Capabilities } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type { OpenWorldOptions } from '@nccl-ts/transport';
import type { SharedOptions } from '../messages/world-messages.ts';
import type { ResolvedDistributedOptions } from '../options/resolve-distributed-options.ts';

/** The options of a world whose ranks join it from their own workers or tabs. */
export interface JoinOptions {
  readonly options: ResolvedDistributedOptions;
  readonly capabilities: Capabilities;
  readonly topology: Topology;
  readonly world: OpenWorldOptions;
}

/** Returns the options that must be equal on all ranks. */
export function sharedOptions({
  ranks,
  lsaSize,
  exact,
  checks,
  fuel,
  memoryBytes,
}: ResolvedDistributedOptions): SharedOptions {
  return { ranks, lsaSize, exact, checks, fuel, memoryBytes };
}

/** Describes the options that differ; empty if there are none. */
export function optionDifferences(ours: SharedOptions, theirs: SharedOptions): string {
  const others = new Map<string, unknown>(Object.entries(theirs));
  return Object.entries(ours)
    .filter(([name, value]) => others.get(name) !== value)
    .map(([name, value]) => `${name} ${showValue(value)} / ${showValue(others.get(name))}`)
    .join(', ');
}
