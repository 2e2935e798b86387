import { clusterCtas, type ClusterSize } from '@nccl-ts/ir';
import type { PtxDiagnostic } from '../syntax/diagnostic.ts';
import type { PtxFunction } from '../syntax/module.ts';
import { MOST_CLUSTER_CTAS } from './cluster-addresses.ts';

/** The clusters of an entry's launches. */
export interface EntryClusters {
  /** Absent if every CTA is a cluster by itself because nothing states a size. */
  readonly size: ClusterSize | undefined;
  readonly diagnostics: readonly PtxDiagnostic[];
}

/** Combines the directives of an entry with the size that its launches set. */
export function clusterOfEntry({ name, directives, span }: PtxFunction, given?: ClusterSize): EntryClusters {
  const required = sizeOf(directives.get('.reqnctapercluster'));
  const size = required ?? given;
  const diagnostics: PtxDiagnostic[] = [];
  const refuse = (message: string, help: string): void =>
    void diagnostics.push({
      code: 'P2006',
      severity: 'error',
      message: `cannot launch ${name} ${message}`,
      help,
      span,
    });
  if (required !== undefined && given !== undefined && textOf(required) !== textOf(given)) {
    refuse(
      `with clusters of ${textOf(given)}, because it requires clusters of ${textOf(required)} (.reqnctapercluster)`,
      'leave the size out of the launch, or set the same one',
    );
  }
  if (size === undefined) {
    if (directives.has('.explicitcluster'))
      refuse(
        'without clusters, because it must be launched with some (.explicitcluster)',
        'set the CTAs of a cluster in the harness: cluster',
      );
    return { size, diagnostics };
  }
  const ctas = clusterCtas(size);
  const [most = MOST_CLUSTER_CTAS] = directives.get('.maxclusterrank') ?? [];
  if (ctas > Math.min(most, MOST_CLUSTER_CTAS)) {
    const limit =
      most < MOST_CLUSTER_CTAS ? `it allows ${most} (.maxclusterrank)` : `GPUs have at most ${MOST_CLUSTER_CTAS}`;
    refuse(`with clusters of ${ctas} CTAs, because ${limit}`, 'launch smaller clusters');
  }
  return { size, diagnostics };
}

function sizeOf(sizes: readonly number[] | undefined): ClusterSize | undefined {
  const [x, y = 1, z = 1] = sizes ?? [];
  return x === undefined ? undefined : { x, y, z };
}

function textOf({ x, y, z }: ClusterSize): string {
  return `${x} x ${y} x ${z}`;
}
