import { exact, opaque, type Fidelity } from '@nccl-ts/core';
import type { PtxDiagnostic } from '../syntax/diagnostic.ts';
import type { PtxFunction } from '../syntax/module.ts';

const limits = exact('packages/harness/test/entry-facts.test.ts');
const clusters = exact('packages/ptx/test/threads/clusters.test.ts');
const blocks = opaque('a grid that counts clusters is not supported');

/**
 * The directives between the head of an entry and its body. Those of speed and of debugging change
 * nothing that a program can observe.
 */
export const entryDirectives: Readonly<Record<string, Fidelity>> = Object.freeze({
  maxntid: limits,
  reqntid: limits,
  minnctapersm: limits,
  maxnctapersm: limits,
  maxnreg: limits,
  maxclusterrank: clusters,
  noreturn: limits,
  explicitcluster: clusters,
  reqnctapercluster: clusters,
  blocksareclusters: blocks,
});

const directives: ReadonlyMap<string, Fidelity> = new Map(Object.entries(entryDirectives));

/** The errors for directives without which the entry would be another program. */
export function directiveErrors({ name, directives: given, span }: PtxFunction): readonly PtxDiagnostic[] {
  return [...given.keys()].flatMap((directive): readonly PtxDiagnostic[] => {
    const fidelity = directives.get(directive.slice(1));
    if (fidelity === undefined)
      return [
        {
          code: 'P2007',
          severity: 'error',
          message: `cannot translate ${name}, because the meaning of ${directive} is not known here`,
          help: 'compile it for an earlier version of PTX',
          span,
        },
      ];
    if (fidelity.kind !== 'opaque') return [];
    return [
      {
        code: 'P2006',
        severity: 'error',
        message: `cannot translate ${name}, because its grid counts clusters and not blocks (${directive})`,
        help: 'build it with __cluster_dims__ instead, and count the blocks in the grid',
        span,
      },
    ];
  });
}
