/** The size of a launch: the ranks of its world, the CTAs of one rank, and the threads of a CTA. */
export interface LaunchShape {
  readonly ranks: number;
  readonly ctas: number;
  readonly threads: number;
}

/** The launches that a check has run, and if they reached another rank. */
export interface CheckedScope {
  /** The different sizes, by ranks and then the largest first. Empty if no kernel was launched. */
  readonly launches: readonly LaunchShape[];
  /** True if a rank has accessed the memory of another, or has waited for a word of memory. */
  readonly communicates: boolean;
}

/** The scope of a program before its first launch. */
export const emptyScope: CheckedScope = Object.freeze({ launches: Object.freeze([]), communicates: false });

/** Returns the scope of several runs together. */
export function joinScopes(scopes: Iterable<CheckedScope>): CheckedScope {
  const launches = new Map<string, LaunchShape>();
  let communicates = false;
  for (const scope of scopes) {
    communicates ||= scope.communicates;
    for (const shape of scope.launches) launches.set(`${shape.ranks} ${shape.ctas} ${shape.threads}`, shape);
  }
  return { launches: [...launches.values()].toSorted(bySize), communicates };
}

/** The ranks that were checked, ascending. */
export function rankCountsOf({ launches }: CheckedScope): readonly number[] {
  return [...new Set(launches.map(({ ranks }) => ranks))];
}

function bySize(a: LaunchShape, b: LaunchShape): number {
  return a.ranks - b.ranks || b.ctas * b.threads - a.ctas * a.threads || b.ctas - a.ctas;
}
