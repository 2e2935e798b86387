/**
 * A kernel of the museum, or a shape to start from. The site's build writes those of each kind into
 * one file, which the pages load.
 */
export interface KernelCase {
  /** The exhibit and which one of its two kernels, or the shape. */
  readonly name: string;
  readonly title: string;
  readonly ptx: string;
  readonly cuda: string;
  readonly launch: string;
  /** The number of CTAs that each GPU holds at once, if the exhibit depends on it. */
  readonly residentCtas?: number;
  /** The expected verdict of the check. */
  readonly verdict: string;
}
