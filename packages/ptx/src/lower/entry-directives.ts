import { exact, opaque, type Fidelity } from '@nccl-ts/core';
import type { PtxDiagnostic } from '../syntax/diagnostic.ts';
import type { PtxFunction } from '../syntax/module.ts';

const limits = exact('packages/harness/test/entry-facts.test.ts');
const clusters = opaque('clusters of several blocks are not supported');

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
  maxclusterrank: limits,
  noreturn: limits,
  explicitcluster: clusters,
  reqnctapercluster: clusters,
  blocksareclusters: clusters,
});

const directives: ReadonlyMap<string, Fidelity> = new Map(Object.entries(entryDirectives));

/** The errors for directives without which the entry would be another program. */
export function directiveErrors({ name, directives: given, span }: PtxFunction): readonly PtxDiagnostic[] {
  const names = [...given.keys()];
  // The directive with the sizes says it best.
  const told = names.includes('.reqnctapercluster') ? names.filter((one) => one !== '.explicitcluster') : names;
  return told.flatMap((directive): readonly PtxDiagnostic[] => {
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
    if (fidelity.kind !== 'opaque' || isOfOne(given)) return [];
    return [
      {
        code: 'P2006',
        severity: 'error',
        message: `cannot translate ${name}, because it launches clusters of several blocks (${directive})`,
        help: 'build it without __cluster_dims__: clusters are not supported yet',
        span,
      },
    ];
  });
}

/** True if every cluster has one block, as blocks without clusters do. */
function isOfOne(given: PtxFunction['directives']): boolean {
  const sizes = given.get('.reqnctapercluster');
  return sizes !== undefined && sizes.length > 0 && sizes.every((size) => size === 1);
}
