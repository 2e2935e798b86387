import { voteLoop, waitsByAtomics, walkBody, type Statement, type ValidatedModule } from '@nccl-ts/ir';
import type { PredictedPart } from './critical-path.ts';
import { SourcePlaces } from './source-places.ts';

/** A way to synchronize. */
export type SyncKind = 'barrier' | 'fence' | 'release' | 'wait';

/** The cost of synchronization in one line of the source. */
export interface PredictedSync {
  /** The line, as in `all-reduce.cu:42`. */
  readonly at: string;
  readonly kinds: readonly SyncKind[];
  /** The time on the critical path; 0 if the line is not on it. */
  readonly nanoseconds: number;
}

/**
 * The costs of all lines of kernels that synchronize: barriers of CTAs, fences, releases and waits,
 * largest first. With the parts of the path that are no synchronization, they add up to its time.
 */
export function syncCosts(
  kernels: Iterable<ValidatedModule>,
  path: readonly PredictedPart[],
): readonly PredictedSync[] {
  const lines = new Map<string, { kinds: Set<SyncKind>; nanoseconds: number }>();
  const lineAt = (at: string): { kinds: Set<SyncKind>; nanoseconds: number } => {
    const known = lines.get(at) ?? { kinds: new Set<SyncKind>(), nanoseconds: 0 };
    lines.set(at, known);
    return known;
  };
  for (const kernel of kernels) {
    const places = new SourcePlaces(kernel);
    walkBody(kernel.body, {
      statement: (statement) => {
        const kind = kindOf(statement);
        if (kind !== undefined) lineAt(places.shown(statement.span)).kinds.add(kind);
      },
    });
  }
  for (const part of path) {
    if (!isSync(part)) continue;
    const { kind, at, nanoseconds } = part;
    const line = lineAt(at.replace(/:\d+$/u, ''));
    line.nanoseconds += nanoseconds;
    // A release takes the time of a fence.
    if (kind !== 'fence' || !line.kinds.has('release')) line.kinds.add(kind);
  }
  return [...lines]
    .map(([at, { kinds, nanoseconds }]) => Object.freeze({ at, kinds: Object.freeze([...kinds]), nanoseconds }))
    .toSorted((a, b) => b.nanoseconds - a.nanoseconds);
}

/** True for the time of a synchronization in a line of a kernel. */
function isSync(part: PredictedPart): part is PredictedPart & { readonly kind: 'barrier' | 'fence' | 'wait' } {
  return part.at !== '' && part.kind !== 'launch' && part.kind !== 'compute';
}

function kindOf(s: Statement): SyncKind | undefined {
  switch (s.kind) {
    case 'sync':
      return s.coop.kind === 'tile' && s.coop.size === 1 ? undefined : 'barrier';
    case 'fence':
      return s.access.order === 'relaxed' ? undefined : 'fence';
    case 'wait':
    case 'waitAll':
      return 'wait';
    case 'loop':
      return voteLoop(s) !== undefined || waitsByAtomics(s) ? 'wait' : undefined;
    case 'store':
    case 'atomic': {
      const order = s.access?.order;
      return order === undefined || order === 'relaxed' || order === 'acquire' ? undefined : 'release';
    }
    default:
      return undefined;
  }
}
