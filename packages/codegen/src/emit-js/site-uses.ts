import type { Site } from '@nccl-ts/findings';
import { loadUses, type Body } from '@nccl-ts/ir';

/**
 * For a load: returns the source locations through which its value leaves its thread; `undefined`
 * if it has other effects.
 */
export function siteUses(body: Body, sites: readonly Site[]): (site: number) => ReadonlySet<number> | undefined {
  const known = new Map<number, ReadonlySet<number> | undefined>();
  const find = (site: number): ReadonlySet<number> | undefined => {
    const { span, access } = sites[site] ?? {};
    // A compare-and-swap that fails is a load, and is tried again.
    if (access?.applies !== undefined) return new Set();
    const found = span === undefined ? undefined : loadUses(body, span);
    if (found === undefined) return undefined;
    const uses = new Set<number>();
    for (const use of found) {
      const at = sites.flatMap(({ span: other, what }, i) => (other === use.span && what === use.kind ? [i] : []));
      if (at.length === 0) return undefined;
      for (const one of at) uses.add(one);
    }
    return uses;
  };
  return (site) => {
    if (!known.has(site)) known.set(site, find(site));
    return known.get(site);
  };
}
