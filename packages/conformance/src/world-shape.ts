/** The shape of a world that a case needs: `ranks` ranks in load-store domains of `lsaSize`. */
export interface WorldShape {
  readonly ranks: number;
  readonly lsaSize: number;
}

/**
 * Formats a shape for titles and lock files: `4` for four ranks of one domain, and `4/2` for
 * domains of two.
 */
export function shapeName({ ranks, lsaSize }: WorldShape): string {
  return lsaSize === ranks ? String(ranks) : `${ranks}/${lsaSize}`;
}
