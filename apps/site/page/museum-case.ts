/** A kernel of the museum: the site's build writes them all into a file that pages read. */
export interface MuseumCase {
  /** The exhibit, and which of its two kernels. */
  readonly name: string;
  readonly title: string;
  readonly ptx: string;
  readonly cuda: string;
  readonly launch: string;
  /** CTAs that each GPU holds at once, where that counts. */
  readonly residentCtas?: number;
  /** `clean`, or the kind of the finding. */
  readonly verdict: string;
}
